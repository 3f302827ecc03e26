/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compilers that make code with these probes, for the shim, which is plain C. */
#ifndef PERSEUS_GCC_ARCH_X86_64_TARGET_H
#define PERSEUS_GCC_ARCH_X86_64_TARGET_H

#define TARGET_NAME "x86-64"

/* How the name of such a compiler's target begins; those for 32 bits are refused by the back end, for a reason
 * of its own, as -m32 is. */
#define TARGET_BEGINS "x86_64-", "amd64-", "i386-", "i486-", "i586-", "i686-"

#endif
