/* SPDX-License-Identifier: MIT */
#include "tuner/search/front.h"

#include <stdlib.h>

#include "lib/mem.h"

static bool front_counts(const struct tried *s)
{
	return s->end == TRIAL_OK && s->n && s->others;
}

/* As good in both; of two that are equal in both the first counts. */
static bool beats(const struct trials *t, size_t a, size_t b)
{
	const struct tried *x = &t->settings.at[a], *y = &t->settings.at[b];

	if (x->mean > y->mean || x->other > y->other)
		return false;
	return x->mean < y->mean || x->other < y->other || a < b;
}

void front_find(const struct trials *t, struct front *out)
{
	for (size_t i = 0; i < t->settings.n; i++) {
		bool beaten = !front_counts(&t->settings.at[i]);
		size_t k;

		for (size_t j = 0; j < t->settings.n && !beaten; j++)
			beaten = j != i && front_counts(&t->settings.at[j]) && beats(t, j, i);
		if (beaten)
			continue;
		vec_push(out, i);
		for (k = out->n - 1; k && t->settings.at[out->at[k - 1]].mean > t->settings.at[i].mean; k--)
			out->at[k] = out->at[k - 1];
		out->at[k] = i;
	}
}
