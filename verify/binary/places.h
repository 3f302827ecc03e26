/* SPDX-License-Identifier: MIT */
/*
 * Where the calls of generated functions stand: in the planned function, a
 * clone of it or a function it was inlined into, each next to a call that the
 * plan knows.  More calls than that explains are differences.
 */
#ifndef PERSEUS_VERIFY_BINARY_PLACES_H
#define PERSEUS_VERIFY_BINARY_PLACES_H

#include "verify/binary/binary.h"

/*
 * Compare each call of @g with its planned @site, before or after its call.
 * Differences are lines in @list, what cannot be decided in @b->notes; returns
 * how many stand outside the site's function.
 */
uint32_t places_check(struct binary *b, const struct vplan_site *site, const struct generated_symbol *g,
		      bool after, struct findings *list);

/* What is known of the calls of @g in @where, an empty entry at first; valid until the next call. */
struct copy *places_copy(struct binary *b, const struct generated_symbol *g,
			 const struct image_symbol *where);

/* perseus_program_start: in main, before all other calls, and nowhere else. */
void places_check_start(struct binary *b, struct findings *list);

/* perseus_create_end: after calls that create threads only. */
void places_check_end(struct binary *b, const struct vplan *p, struct findings *list);

#endif
