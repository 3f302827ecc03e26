/* SPDX-License-Identifier: MIT */
/* Paired run times, looked at while they come in: slower, not slower, or go on.  See README.md. */
#ifndef PERSEUS_LIB_COMPARE_SEQUENTIAL_H
#define PERSEUS_LIB_COMPARE_SEQUENTIAL_H

#include <stddef.h>

#define SEQUENTIAL_LOOKS 5
#define SEQUENTIAL_LEAST 20    /* blocks: below, no verdict would be possible */
#define SEQUENTIAL_MOST  300   /* blocks */
#define SEQUENTIAL_PART  0.25  /* of the limit: what is surely slower by more is slower */
#define SEQUENTIAL_ALARM 0.01  /* probability to call slower what is not, at all looks together */
#define SEQUENTIAL_MISS  0.001 /* ... and to pass what is slower by the limit */

/* When to look, and which Walsh averages are the ends of the interval then. */
struct sequential_look {
	unsigned blocks;
	size_t low, high; /* ranks from below and from above, from 1; 0: too few blocks to say */
};

struct sequential_plan {
	double limit; /* ratio - 1 that has to be found */
	struct sequential_look look[SEQUENTIAL_LOOKS];
};

enum sequential_verdict { SEQUENTIAL_OPEN, SEQUENTIAL_OK, SEQUENTIAL_SLOWER };

/* Ratios head / base; the interval holds at all looks together. */
struct sequential_result {
	enum sequential_verdict verdict;
	double estimate;
	double low, high; /* 0 and INFINITY: too few blocks to say */
};

/* Plan for at most @blocks (SEQUENTIAL_LEAST to SEQUENTIAL_MOST), @limit > 0. */
void sequential_plan(struct sequential_plan *p, double limit, unsigned blocks);

/* True if @blocks is one of the planned looks. */
int sequential_due(const struct sequential_plan *p, unsigned blocks);

/*
 * Judge @n > 0 blocks, each the mean of its two ln(head / base), at the last
 * look that was due.
 */
struct sequential_result sequential_judge(const struct sequential_plan *p, const double *block, unsigned n);

/* The verdict that an interval of ratios allows. */
enum sequential_verdict sequential_verdict(double low, double high, double limit);

#endif
