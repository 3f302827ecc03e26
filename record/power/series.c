/* SPDX-License-Identifier: MIT */
#include "record/power/series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/search.h"

int series_add(struct series *s, double t, double watts, struct err *err)
{
	if (s->n && t < s->t[s->n - 1])
		return err_set(err, -EINVAL, "the time goes back from %.9g to %.9g s", s->t[s->n - 1], t);
	if (s->n && t == s->t[s->n - 1]) {
		s->watts[s->n - 1] = (s->watts[s->n - 1] + watts) / 2;
		s->doubled++;
		return 0;
	}
	if (s->n == SERIES_MAX)
		return err_set(err, -E2BIG, "more than %d readings: cut out the time of the run", SERIES_MAX);
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 1024;
		s->t = mem_resize(s->t, s->cap, sizeof(*s->t));
		s->watts = mem_resize(s->watts, s->cap, sizeof(*s->watts));
	}
	s->t[s->n] = t;
	s->watts[s->n++] = watts;
	return 0;
}

void series_edge(struct series *s, double t)
{
	if (s->n_edges == s->cap_edges) {
		s->cap_edges = s->cap_edges ? 2 * s->cap_edges : 8;
		s->edges = mem_resize(s->edges, s->cap_edges, sizeof(*s->edges));
	}
	s->edges[s->n_edges++] = t;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of at most 20,001 distances at equal steps: of more the median is as good. */
static double median_distance(const struct series *s)
{
	size_t step = s->n / 20000 + 1, n = 0;
	double *d = mem_new(s->n / step + 1, sizeof(*d)), median;

	for (size_t i = 1; i < s->n; i += step)
		d[n++] = s->t[i] - s->t[i - 1];
	qsort(d, n, sizeof(*d), by_size);
	median = d[n / 2];
	free(d);
	return median;
}

int series_finish(struct series *s, const char *name, struct err *err)
{
	if (s->n < 3)
		return err_set(err, -ENODATA, "'%s' has %zu reading%s: too few for any interval", name, s->n,
			       s->n == 1 ? "" : "s");
	s->interval = median_distance(s);
	for (size_t i = 1; i < s->n; i++) {
		double d = s->t[i] - s->t[i - 1];

		s->longest_gap = fmax(s->longest_gap, d);
		if (d <= SERIES_GAP * s->interval)
			continue;
		if (!s->missing)
			s->first_missing = s->t[i - 1] + s->interval;
		s->missing += (uint64_t)(d / s->interval + 0.5) - 1;
	}
	return 0;
}

/* The first reading behind @t. */
static size_t series_behind(const struct series *s, double t)
{
	return search_first(s->n, i, s->t[i] <= t);
}

/* Watts at @t between readings @i - 1 and @i. */
static double watts_at(const struct series *s, size_t i, double t)
{
	double part = (t - s->t[i - 1]) / (s->t[i] - s->t[i - 1]);

	return s->watts[i - 1] + part * (s->watts[i] - s->watts[i - 1]);
}

double series_joules(const struct series *s, double from, double to, double *gap)
{
	double sum = 0, a, b;

	if (gap)
		*gap = 0;
	from = fmax(from, s->t[0]);
	to = fmin(to, s->t[s->n - 1]);
	for (size_t i = series_behind(s, from); from < to && i < s->n; i++) {
		a = from;
		b = fmin(to, s->t[i]);
		sum += (b - a) * (watts_at(s, i, a) + watts_at(s, i, b)) / 2;
		if (gap && s->t[i] - s->t[i - 1] > SERIES_GAP * s->interval)
			*gap += b - a;
		from = b;
	}
	return sum;
}

void series_release(struct series *s)
{
	free(s->t);
	free(s->watts);
	free(s->edges);
	memset(s, 0, sizeof(*s));
}
