/* SPDX-License-Identifier: MIT */
/* Runs of one size are one row, with the noise that they show. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predictor/model/growth.h"

#define FLOOR  1e-4 /* of a row; how far models are off is told by their levels */
#define ROUND  1e-7 /* ... where figures repeat exactly: their digits */
#define EXACT  1e-6 /* noise that is none */
#define SHRINK 4.0  /* degrees of freedom of the pooled noise in each size's own */

bool growth_exact(const struct growth_sizes *s)
{
	return s->spare && s->noise < EXACT;
}

bool growth_may_be_exact(const struct growth_sizes *s)
{
	return !s->spare || growth_exact(s);
}

static int check_run(const struct growth_run *r, size_t params, struct err *err)
{
	for (size_t j = 0; j < params; j++)
		if (!(r->x[j] >= 1) || !isfinite(r->x[j]))
			return err_set(err, -EINVAL, "a parameter is %g: it has to be 1 or more, and finite",
				       r->x[j]);
	if (!(r->y > 0) || !isfinite(r->y))
		return err_set(err, -EINVAL, "a figure is %g: it has to be above 0, and finite", r->y);
	return 0;
}

static struct growth_size *size_of(struct growth_sizes *s, const double *x)
{
	for (size_t i = 0; i < s->n; i++)
		if (!memcmp(s->at[i].x, x, s->params * sizeof(*x)))
			return &s->at[i];
	if (s->n == GROWTH_SIZES)
		return NULL;
	memcpy(s->at[s->n].x, x, s->params * sizeof(*x));
	return &s->at[s->n++];
}

static int by_figure(const void *a, const void *b)
{
	double d = ((const struct growth_size *)a)->y - ((const struct growth_size *)b)->y;

	return (d > 0) - (d < 0);
}

/* Sums of ln y and ln^2 y, kept in .y and .variance, become mean and variance. */
static void sizes_settle(struct growth_sizes *s)
{
	double all = 0, pooled, least;

	for (size_t i = 0; i < s->n; i++) {
		struct growth_size *at = &s->at[i];
		double mean = at->y / (double)at->runs;

		at->variance = fmax(at->variance - mean * at->y, 0);
		at->y = mean;
		all += at->variance;
		s->spare += at->runs - 1;
	}
	pooled = s->spare ? all / (double)s->spare : 0;
	s->noise = sqrt(pooled);
	least = growth_may_be_exact(s) ? ROUND : FLOOR;
	for (size_t i = 0; i < s->n; i++) {
		struct growth_size *at = &s->at[i];

		at->variance = (SHRINK * pooled + at->variance) / (SHRINK + (double)at->runs - 1);
		at->variance = fmax(at->variance, least * least);
		at->y = exp(at->y);
	}
	qsort(s->at, s->n, sizeof(s->at[0]), by_figure);
}

int growth_sizes_make(struct growth_sizes *s, size_t params, const struct growth_run *runs, size_t n,
		      struct err *err)
{
	*s = (struct growth_sizes){.params = params};
	for (size_t i = 0; i < n; i++) {
		int ret = check_run(&runs[i], params, err);
		struct growth_size *at = ret ? NULL : size_of(s, runs[i].x);
		double ln = log(runs[i].y);

		if (ret)
			return ret;
		if (!at)
			return err_set(err, -E2BIG, "more than %d sizes", GROWTH_SIZES);
		at->y += ln;
		at->variance += ln * ln;
		at->runs++;
	}
	sizes_settle(s);
	return 0;
}
