/* SPDX-License-Identifier: MIT */
/*
 * Which platform file is linked in, and do new threads come to it?  Each has
 * its own way: linux takes the name pthread_create over, posix needs the
 * linker's --wrap or calls of its own name, the stub leaves it to an integrator.
 */
#ifndef PERSEUS_VERIFY_START_CREATION_H
#define PERSEUS_VERIFY_START_CREATION_H

#include "verify/binary/binary.h"

enum backend {
	BACKEND_NONE, /* no platform file at all */
	BACKEND_LINUX,
	BACKEND_POSIX,
	BACKEND_STUB,
};

/* The platform file in the executable, by what only its code needs. */
enum backend creation_backend(const struct symbols *s);

/* Threads of the plan that would not be placed, or told apart, are lines in @list; after the places of the marks. */
void creation_check(struct binary *b, const struct vplan *p, struct findings *list);

#endif
