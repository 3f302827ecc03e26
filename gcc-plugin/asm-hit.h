/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hit test of memory probes. */
#ifndef PERSEUS_PLUGIN_ASM_HIT_H
#define PERSEUS_PLUGIN_ASM_HIT_H

#include "gcc-plugin/text.h"
#include <stdio.h>

/* A test: @a holds the address and keeps it, @t the site (32 bits); @b and @t
   are free to use.  GCC's register numbers. */
struct hit {
	bool load; /* else anything that writes */
	unsigned a, b, t;
};

/* Append the test itself; @b holds desc.tls, which is not 0.  It goes to label @yes or @no, each followed by @label. */
void hit_write_test(struct text *out, const struct hit *h, const char *yes, const char *no, unsigned label);

/*
 * Label of a test to call for an address in rax, for probes outside loops; it
 * returns in either case with all registers as they were, having called the
 * runtime on a miss.  It will be written.
 */
const char *hit_name(bool load);

/* Write the tests asked for, in the current section of @f. */
void hit_write_all(FILE *f);

#endif
