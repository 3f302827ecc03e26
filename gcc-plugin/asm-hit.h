/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hit test of memory probes. */
#ifndef PERSEUS_PLUGIN_ASM_HIT_H
#define PERSEUS_PLUGIN_ASM_HIT_H

#include "gcc-plugin/text.h"
#include <stdio.h>

#define HIT_NONE (~0u) /* no such register */

/* Who calls a routine: it finds the site there (stub_load_site()). */
enum hit_from {
	HIT_FROM_JUMPED, /* a part that was jumped to, and says the site behind its call */
	HIT_FROM_CALLED, /* the probe itself, as the part that it called goes on by jumping here */
};

/* A test: @a holds the address; all are GCC's register numbers, and changed. */
struct hit {
	bool load;     /* else anything that writes */
	unsigned a, b; /* needed */
	unsigned t;    /* HIT_NONE: one instruction more */
};

/* Append a test of the line at @a; at its end "equal" means a hit. */
void hit_write_test(struct text *out, const struct hit *h);

/*
 * Label of a routine to call with the address in @a.  It tests the line and returns in either case with all
 * registers but @b and @t as they were, having called the runtime on a miss.
 * @b or @t HIT_NONE: it saves what it uses.  It will be written.
 */
const char *hit_shared(const struct hit *h, enum hit_from from);

/* The same for an access that may touch several lines: all are tested, no register changes. */
const char *hit_wide(bool load, unsigned a, enum hit_from from);

/* The stub that calls the runtime for an address in @a. */
const char *hit_miss(unsigned a, enum hit_from from);

/*
 * The same for ranges; stack at the call: first byte, bytes, times.  It calls
 * the runtime unless all of at most three lines hit and it is few times.
 */
const char *hit_range(bool load);

/* Write the routines asked for, in the current section of @f. */
void hit_write_all(FILE *f);

#endif
