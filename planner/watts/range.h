/* SPDX-License-Identifier: MIT */
/* What a saving is worth within what the platform's watts may be off by. */
#ifndef PERSEUS_PLANNER_WATTS_RANGE_H
#define PERSEUS_PLANNER_WATTS_RANGE_H

#include <stdbool.h>

#include "planner/result/outcome.h"
#include "planner/result/whatif.h"

struct watts_range {
	bool known;           /* the platform says what its watts may be off by, and they matter here */
	double low, high;     /* shares of the baseline that are saved */
	struct figure figure; /* of one step: the error that moves the saving most, */
	double figure_error;  /* ... its size, mW, */
	double figure_swing;  /* ... and by how much it moves it */
	bool turns;           /* some watts make the plan lose: */
	struct figure turn;   /* which */
	double turn_at;       /* ... and where, in the units of the figure */
};

/*
 * The plan and the baseline of @o as they are, evaluated where all busy watts, all idle
 * watts, or both are off by their errors in either direction, as the errors of a model
 * are, and where those of one step alone are, as the errors of a measurement.  What
 * lies between is between, since energy is linear in watts.
 */
void planner_watts_range(const struct outcome *o, struct watts_range *r);

/* "saves 12.1 to 19.4 % ...; loses if ... is above 9.8 W"; the caller frees it. */
char *planner_watts_sentence(const struct outcome *o, const struct watts_range *r);

/* "idle power at 1853 MHz (4.20 +- 0.90 W): ..."; NULL if no error matters; the caller frees it. */
char *planner_watts_next(const struct outcome *o, const struct watts_range *r);

#endif
