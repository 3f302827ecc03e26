/* SPDX-License-Identifier: MIT */
/* Which probe to make next, within a budget. */
#ifndef PERSEUS_PREDICTOR_PROBE_NEXT_H
#define PERSEUS_PREDICTOR_PROBE_NEXT_H

#include <stdint.h>

#include "predictor/model/growth.h"

#define NEXT_GRID 16 /* steps between the smallest size and the target */

struct next_plan {
	size_t params;
	double from[GROWTH_PARAMS], target[GROWTH_PARAMS]; /* equal: the parameter is fixed */
	double share;  /* of the target's figure that all probes may take */
	size_t models; /* parameters of the models, where there are more: features */
	double start;  /* what a run costs beside its figure: start-up, in units of it */
};

/* What was spent so far: the sum of the figures of all @n runs, with their start-up. */
struct next_state {
	struct growth_run *runs;
	size_t n;
	double spent;
	double *time; /* of each run, whose figure is a count then, and asked is what the target takes; or NULL */
};

enum next_end {
	NEXT_PROBE, /* make one at x */
	NEXT_SPENT, /* nothing that would tell more can be paid for */
	NEXT_ENOUGH /* no probe would tell anything more */
};

/*
 * The next probe.  x gets its parameters, whole numbers.  Pure: the same runs give the same answer.
 */
enum next_end next_probe(const struct next_plan *plan, const struct next_state *state, double *x);

/*
 * The same for sizes that other tasks of the kind run, too: all parameters grow together from the smallest ones,
 * by the same steps, as long as the next size can be paid for.
 */
enum next_end next_rung(const struct next_plan *plan, const struct next_state *state, double *x);

/* Step @step of a ladder of NEXT_LADDER steps, each fourth one is a rung of next_rung(); the last is the target. */
#define NEXT_LADDER 40
void next_ladder(const struct next_plan *plan, size_t step, double *x);

/*
 * What starting costs, in counts: the constant of times that are linear in @n counts, over what a count takes.
 * 0: it cannot be told.
 */
double next_start(const double *count, const double *time, size_t n);

#endif
