/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What differs between versions of GCC in its own part for this processor. */
#ifndef PERSEUS_PLUGIN_ARCH_GCC_X86_H
#define PERSEUS_PLUGIN_ARCH_GCC_X86_H

#include "gcc-plugin/base/gcc-common.h"

/* Whether @fun may return with other values in the registers that its caller saves. */
static inline bool gcc_caller_saves(const function *fun)
{
#if GCC_FROM(14)
	return fun->machine->call_saved_registers != TYPE_NO_CALLER_SAVED_REGISTERS;
#else
	return !fun->machine->no_caller_saved_registers;
#endif
}

/* Whether registers may have numbers of five bits, whose prefix takes no other one in front of it. */
static inline bool gcc_wide_registers(void)
{
#ifdef TARGET_APX_F
	return TARGET_APX_F;
#else
	return false;
#endif
}

#endif
