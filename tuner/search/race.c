/* SPDX-License-Identifier: MIT */
#include "tuner/search/race.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

size_t race_leader(const struct trials *t)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < t->settings.n; i++)
		if (trials_good(t, i) &&
		    (best == SIZE_MAX || t->settings.at[i].mean < t->settings.at[best].mean))
			best = i;
	return best;
}

double race_behind(const struct trials *t, size_t i, size_t best)
{
	const struct tried *a = &t->settings.at[i], *b = &t->settings.at[best];

	if (t->sigma <= 0 || !a->n || !b->n)
		return HUGE_VAL;
	return (a->mean - b->mean) / (t->sigma * sqrt(1.0 / a->n + 1.0 / b->n));
}

void race_look(struct trials *t, size_t i, size_t best, double drop)
{
	struct tried *s = &t->settings.at[i];

	if (i == best || t->df < 1 || t->sigma <= 0 || !trials_good(t, i))
		return;
	/* 1/2 + 1/6 + 1/12 + ... = 1 */
	s->dropped = race_behind(t, i, best) > gsl_cdf_tdist_Qinv(drop / (s->n * (s->n + 1.0)), t->df);
}
