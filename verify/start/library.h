/* SPDX-License-Identifier: MIT */
/* The libraries of a program: do they come between the generated code and the C library? */
#ifndef PERSEUS_VERIFY_START_LIBRARY_H
#define PERSEUS_VERIFY_START_LIBRARY_H

#include "verify/start/dynamic.h"
#include "verify/start/reach.h"

/*
 * Hold the @n libraries at @paths against the names in @imports, which the
 * generated code calls: none of them may define one, and none may use a
 * generated function.  Those of the toolchain are believed; others that
 * @needed names and that are not given are named in @notes.  -1 if one cannot
 * be read.
 */
int library_check(char *const *paths, int n, const struct needed *needed, const struct names *imports,
		  struct findings *list, struct findings *notes, struct fault *f);

#endif
