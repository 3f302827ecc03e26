/* SPDX-License-Identifier: MIT */
/* The other way round: is all code of the program that of the objects? */
#ifndef PERSEUS_VERIFY_OBJECTS_COVER_H
#define PERSEUS_VERIFY_OBJECTS_COVER_H

#include "verify/objects/placed.h"

/*
 * Code that has no name, and if @all, code that is neither in @objects nor in @rebuilt, nor the toolchain's
 * start-up code or the linker's: named in @notes.
 */
void cover_check(const struct binary *b, const struct placed *objects, const struct placed *rebuilt, bool all,
		 struct findings *notes);

/* Is all code in @objects, or the toolchain's start-up code or the linker's? */
bool cover_is_whole(const struct binary *b, const struct placed *objects);

#endif
