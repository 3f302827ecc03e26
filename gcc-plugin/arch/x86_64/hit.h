/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hit test of memory probes. */
#ifndef PERSEUS_PLUGIN_ARCH_HIT_H
#define PERSEUS_PLUGIN_ARCH_HIT_H

#include "gcc-plugin/base/text.h"
#include "perseus/abi.h"
#include <stdio.h>

#define HIT_NONE (~0u) /* no such register */
#define HIT_LINE (1u << PRS_LINE_SHIFT)

/* Who calls a routine: it finds the site there (stub_load_site()). */
enum hit_from {
	HIT_FROM_JUMPED, /* a part that was jumped to, and says the site behind its call */
	HIT_FROM_CALLED, /* the probe itself, as the part that it called goes on by jumping here */
};

/* A test: @a holds the address; all are GCC's register numbers, and changed. */
struct hit {
	bool load; /* else anything that writes */
	unsigned a, b, t;
};

/* Append a test of the line at @a; at its end "equal" means a hit, and @a is turned. */
void hit_write_test(struct text *out, const struct hit *h);

/* The same with the thread's sharer in @b already, which hit_write_sharer() puts into a register. */
void hit_write_test_by(struct text *out, const struct hit *h);
void hit_write_sharer(struct text *out, unsigned reg);

/* Behind it: @a becomes the address again. */
void hit_write_address(struct text *out, const struct hit *h);

/* Does an access of @bytes, at most a line, touch a second line?  "Above" means yes; only @t changes. */
void hit_write_crosses(struct text *out, const struct hit *h, unsigned bytes);

/*
 * Label of a routine to call with the address in @a.  It tests the line and returns in either case with all
 * registers but @b and @t as they were, having called the runtime on a miss.
 * @b or @t HIT_NONE: it saves what it uses.  @bytes: of an access that may lie
 * in two lines, else 0.  @hot: the program often comes by, so @b and @t are worth a
 * routine of their own.  It will be written.
 */
const char *hit_shared(const struct hit *h, unsigned bytes, enum hit_from from, bool hot);

/* The same for one that does lie in several: all are tested, no register changes. */
const char *hit_wide(bool load, unsigned a, unsigned bytes, enum hit_from from);

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
