/* SPDX-License-Identifier: MIT */
/*
 * How code is unwound when an exception passes or a thread is cancelled: is
 * .eh_frame of the executable that of the objects?  It names functions that
 * run then, and where execution goes on.
 */
#ifndef PERSEUS_VERIFY_OBJECTS_UNWIND_H
#define PERSEUS_VERIFY_OBJECTS_UNWIND_H

#include "verify/objects/placed.h"

struct compare;

/*
 * Compare the entries of the object of @c for its code that was found in the executable with the executable's;
 * equal ones are counted in @out, for functions that only this object may define others are lines in @list.
 */
void unwind_compare(struct compare *c, struct placed *out, struct findings *list);

/*
 * When all objects were compared: an entry of @b for code of an object must be that of an object, and its table of
 * them (.eh_frame_hdr) must lead to them.  @all: the objects are the whole program.
 */
void unwind_check(const struct binary *b, const struct placed *objects, const struct placed *rebuilt,
		  bool all, struct findings *list, struct findings *notes);

/* Is @f what linkers write for the PLT, and the toolchain's objects for start-up code: how the stack is left, no
 * handler?  The processor's, in arch/. */
bool unwind_is_plain(const struct frame *f);

#endif
