/* SPDX-License-Identifier: MIT */
#include "predictor/model/history.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

#define SLOPE_SD                                                                                             \
	0.3 /* beforehand the slope is 1, give or take this: twice the work in small is twice the work */
#define BELIEF  0.2 /* beforehand tasks lie so far about their line, ... */
#define WORTH   4.0 /* ... which counts as so many of them: a few that lie close do so by chance */
#define OUTSIDE 0.5 /* of the spread of the probes: farther out another kind of input begins */
#define CLOSE   0.1 /* ... or so far in the logarithm, where all probes are alike */

/* Sums over all rows but @without. */
struct sums {
	double n, x, y, xx, xy;
};

static struct sums sums_of(const struct history_row *rows, size_t n, size_t without)
{
	struct sums s = {0};

	for (size_t i = 0; i < n; i++) {
		if (i == without)
			continue;
		s.n++;
		s.x += log(rows[i].probe);
		s.y += log(rows[i].target);
	}
	s.x /= s.n;
	s.y /= s.n;
	for (size_t i = 0; i < n; i++) {
		double dx = log(rows[i].probe) - s.x;

		if (i == without)
			continue;
		s.xx += dx * dx;
		s.xy += dx * (log(rows[i].target) - s.y);
	}
	return s;
}

/* Mean square about the line through all but @without, with what is believed of it beforehand. */
static double square_about(const struct history_row *rows, size_t n, size_t without, const struct sums *s,
			   double slope)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		double r = log(rows[i].target) - s->y - slope * (log(rows[i].probe) - s->x);

		sum += i == without ? 0 : r * r;
	}
	return (WORTH * BELIEF * BELIEF + sum) / (WORTH + s->n - 2);
}

/* The slope by rows and belief: its weight is what a row scatters, over what it is believed to be within. */
static struct history_line history_line_of(const struct history_row *rows, size_t n, size_t without)
{
	struct sums s = sums_of(rows, n, without);
	double belief = square_about(rows, n, without, &s, 1) / (SLOPE_SD * SLOPE_SD);
	struct history_line l = {.n = (size_t)s.n, .mean = s.x, .middle = s.y, .squares = s.xx + belief};

	l.slope = (s.xy + belief) / l.squares;
	l.sd = sqrt(square_about(rows, n, without, &s, l.slope));
	return l;
}

int history_fit(struct history_line *l, const struct history_row *rows, size_t n)
{
	double sum = 0;

	*l = (struct history_line){0};
	if (n < HISTORY_LEAST)
		return -ENODATA;
	*l = history_line_of(rows, n, n);
	l->least = l->most = log(rows[0].probe);
	for (size_t i = 0; i < n; i++) {
		struct history_line others = history_line_of(rows, n, i);
		double x = log(rows[i].probe), off;

		off = log(rows[i].target) - others.middle - others.slope * (x - others.mean);
		sum += off * off;
		l->least = fmin(l->least, x);
		l->most = fmax(l->most, x);
	}
	l->foreseen = sqrt(sum / (double)n);
	return 0;
}

struct growth_estimate history_estimate(const struct history_line *l, double probe)
{
	double dx = log(probe) - l->mean, ln = l->middle + l->slope * dx, n = (double)l->n;
	double sd = l->sd * sqrt(1 + 1 / n + dx * dx / l->squares), t = gsl_cdf_tdist_Pinv(0.95, n - 2);

	return (struct growth_estimate){.low = exp(ln - t * sd),
					.middle = exp(ln),
					.high = exp(ln + t * sd),
					.best = exp(ln - sd * sd),
					.sd = sd};
}

bool history_holds(const struct history_line *l, double probe)
{
	double x = log(probe), room = fmax(OUTSIDE * (l->most - l->least), CLOSE);

	return x >= l->least - room && x <= l->most + room;
}
