/* SPDX-License-Identifier: MIT */
/*
 * Which platform file is linked in, and do new threads come to it?  Each has
 * its own way: linux takes the name pthread_create over, posix needs the
 * linker's --wrap or calls of its own name, the stub leaves it to an integrator.
 */
#ifndef PERSEUS_VERIFY_BINARY_CREATION_H
#define PERSEUS_VERIFY_BINARY_CREATION_H

#include "verify/binary/binary.h"

/* Threads of the plan that would not be placed, or distinguished, are lines in @list; after the places of the marks. */
void creation_check(struct binary *b, const struct vplan *p, struct findings *list);

#endif
