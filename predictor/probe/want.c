/* SPDX-License-Identifier: MIT */
/* Which sizes a finished task runs for the sake of the next ones. */
#include <math.h>
#include <string.h>

#include "predictor/probe/finished.h"

#define WANTED 3  /* of the largest sizes: which of them tells most only several tasks can say */
#define ENOUGH 20 /* tasks that ran a size: a line of them is as good as one of more, nearly */

/* The sum of the logarithms of all parameters: how large a size is. */
static double largeness(const struct finished *f, const double *x)
{
	double sum = 0;

	for (size_t j = 0; j < f->sizes; j++)
		sum += log(x[j]);
	return sum;
}

/*
 * Of the WANTED largest sizes that tasks have in common one that @mine lacks.  *@largest: what the largest of them is;
 * -INFINITY: there is none.
 */
static bool want_common(const struct finished *f, const struct task *t, const struct probes *mine,
			double share, double *x, double *largest)
{
	struct finished_choices all = VEC_INIT;
	bool found = false;

	*largest = -INFINITY;
	finished_sizes(f, t, share, &all);
	for (size_t k = 0; k < WANTED && !found; k++) {
		struct finished_choice *most = NULL;

		for (size_t i = 0; i < all.n; i++)
			if (!isnan(all.at[i].share) &&
			    (!most || largeness(f, all.at[i].x) > largeness(f, most->x)))
				most = &all.at[i];
		if (!most)
			break;
		*largest = fmax(*largest, largeness(f, most->x));
		found = most->tasks < ENOUGH && finished_mean(f, mine, most->x, false) <= 0;
		memcpy(x, most->x, sizeof(most->x));
		most->share = NAN; /* it has had its turn */
	}
	vec_release(&all);
	return found;
}

/*
 * What each step of the ladder takes, as a share of the whole: between two that were run a line in logarithms; NAN
 * below the smallest one.
 */
static void ladder_shares(const struct finished *f, const struct task *t, const struct probes *mine,
			  const struct next_plan *plan, double share[NEXT_LADDER + 1])
{
	double x[GROWTH_PARAMS] = {0}, whole = finished_mean(f, mine, f->target, t->count != NULL);
	size_t below = NEXT_LADDER + 1;

	for (size_t step = 0; step <= NEXT_LADDER; step++) {
		double took;

		next_ladder(plan, step, x);
		took = finished_mean(f, mine, x, t->count != NULL);
		share[step] = took > 0 ? took / whole : NAN;
		for (size_t k = below + 1; took > 0 && below <= NEXT_LADDER && k < step; k++)
			share[k] = share[below] * pow(share[step] / share[below],
						      (double)(k - below) / (double)(step - below));
		below = took > 0 ? step : below;
	}
}

bool finished_want(const struct finished *f, const struct task *t, const struct probes *mine,
		   const struct next_plan *plan, double *x)
{
	double shares[NEXT_LADDER + 1], largest;
	size_t steps = f->tasks.n ? 1 : WANTED, top = NEXT_LADDER - 1;

	memset(x, 0, GROWTH_PARAMS * sizeof(*x));
	if (finished_mean(f, mine, f->target, false) <= 0)
		return false;
	if (want_common(f, t, mine, plan->share, x, &largest))
		return true;
	ladder_shares(f, t, mine, plan, shares);
	while (top > 0 && !(shares[top] <= plan->share))
		top--;
	for (size_t k = 0; k < steps && k < top; k++) {
		next_ladder(plan, top - k, x);
		if (largeness(f, x) > largest && finished_mean(f, mine, x, false) <= 0)
			return true;
	}
	return false;
}
