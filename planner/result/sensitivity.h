/* SPDX-License-Identifier: MIT */
/*
 * Which figure of the platform the plan's gain hinges on, and where it turns:
 * plan and baseline, as they are, evaluated again with that one figure
 * changed.  A plan made for the other figure may do better.
 */
#ifndef PERSEUS_PLANNER_RESULT_SENSITIVITY_H
#define PERSEUS_PLANNER_RESULT_SENSITIVITY_H

#include "planner/result/outcome.h"
#include "planner/result/whatif.h"

struct breakeven {
	struct figure figure;
	bool matters; /* the gain changes with it at all */
	bool turns;   /* somewhere in the range the plan gains nothing */
	double at;    /* there, nearest to the platform's figure; valid if it turns */
	bool refused; /* somewhere the gain is too small to be worth it */
	double refused_at;
	double swing;    /* the most that the gain moves for a figure off by a tenth, share of the baseline */
	double distance; /* of the nearer one from the platform's figure: 0 at it, 1 out of reach */
};

/*
 * All figures, the closest break-even first, those without any last; the
 * caller frees the array, *@n long.  Only for a plan that gains.
 */
struct breakeven *planner_breakevens(const struct outcome *o, uint32_t *n);

/*
 * What the plan saves, share of the baseline, if conflicts of unknown phases
 * cost nothing: the threads may never come to the line in the same phase.
 */
double planner_gain_never(const struct outcome *o);

/*
 * "package halt power: below 14.4 W the plan gains, ...", or that it does not
 * turn; NULL if it has no part in the gain; the caller frees it.
 */
char *breakeven_sentence(const struct outcome *o, const struct breakeven *b);

/* "11.7 W"; the caller frees it. */
char *breakeven_value(const struct figure *f, double value);

/* The error of the figure that turns the answer, as a share of it (memory: of all work). */
double breakeven_error(const struct breakeven *b);

/* "above 14.40 W", "below 3 %": where it stops gaining; the caller frees it. */
char *breakeven_side(const struct breakeven *b, double at);

/*
 * Fill in what a plan says of other platforms and baselines: turns_on, the
 * closest break-evens, regret.
 */
void planner_emit_sense(const struct outcome *o, struct plan *plan);

#endif
