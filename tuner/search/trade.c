/* SPDX-License-Identifier: MIT */
#include "tuner/search/trade.h"

#include <math.h>

#include "tuner/search/front.h"

#define ENDS   8    /* each so many weights the second figure's alone */
#define SLOPE  0.05 /* of the sum beside the larger one: of two with one larger part the better wins */
#define NARROW 1e-9 /* a range that is none */

/* The figures of a setting as the search has them, ln. */
struct figures {
	double y[2];
};

/* Where the front begins, and how wide it is. */
struct trade_scale {
	double least, range;
};

/* k in binary, mirrored at the point: 1/2, 1/4, 3/4, 1/8, ... */
static double mirrored(uint64_t k)
{
	double sum = 0, part = 0.5;

	for (; k; k >>= 1, part /= 2)
		sum += (double)(k & 1) * part;
	return sum;
}

double trade_weight(uint64_t k)
{
	uint64_t other = k - k / 3 - 1;

	if (k % 3 == 0)
		return 1;
	return other % ENDS ? mirrored(other) : 0;
}

static bool figures_of(const struct tried *s, struct figures *f)
{
	if (s->end != TRIAL_OK || !s->n || !s->others)
		return false;
	*f = (struct figures){{s->mean, log(s->other)}};
	return true;
}

static void widen(struct trade_scale *s, double y, bool first)
{
	double most = s->least + s->range;

	s->least = first || y < s->least ? y : s->least;
	s->range = (first || y > most ? y : most) - s->least;
}

/* Of figure @k: of the front, or of all if that has no width. */
static struct trade_scale scale_of(const struct trials *t, const struct front *front, int k)
{
	struct trade_scale s = {0, 0};
	struct figures f;
	bool first = true;

	for (size_t i = 0; i < front->n; i++)
		if (figures_of(&t->settings.at[front->at[i]], &f))
			widen(&s, f.y[k], !i);
	if (s.range >= NARROW)
		return s;
	for (size_t i = 0; i < t->settings.n; i++)
		if (figures_of(&t->settings.at[i], &f)) {
			widen(&s, f.y[k], first);
			first = false;
		}
	if (s.range < NARROW)
		s.range = 1;
	return s;
}

void trade_view(struct trials *view, const struct trials *t, double weight)
{
	double larger = weight > 0.5 ? weight : 1 - weight, w[2] = {weight / larger, (1 - weight) / larger};
	struct trade_scale scale[2];
	struct front front = VEC_INIT;
	double worst = 0, noise = 0;

	front_find(t, &front);
	*view = *t;
	view->settings.at = NULL;
	view->settings.n = view->settings.cap = 0;
	view->runs.at = NULL;
	view->runs.n = view->runs.cap = 0;
	for (int k = 0; k < 2; k++)
		scale[k] = scale_of(t, &front, k);
	for (size_t i = 0; i < t->settings.n; i++) {
		struct tried s = t->settings.at[i];
		struct figures f;

		if (figures_of(&s, &f)) {
			double a = w[0] * (f.y[0] - scale[0].least) / scale[0].range;
			double b = w[1] * (f.y[1] - scale[1].least) / scale[1].range;

			s.mean = (a > b ? a : b) + SLOPE * (a + b);
			worst = s.mean > worst ? s.mean : worst;
		} else {
			s.mean = HUGE_VAL;
		}
		vec_push(&view->settings, s);
	}
	for (size_t i = 0; i < view->settings.n; i++)
		if (isinf(view->settings.at[i].mean))
			view->settings.at[i].mean = worst;
	noise = hypot(w[0] * t->sigma / scale[0].range, w[1] * trials_other_sigma(t) / scale[1].range);
	view->sigma = (1 + SLOPE) * noise;
	vec_release(&front);
}

static bool is_listed(const struct trials *t, const struct settings *list, const struct setting *x)
{
	for (size_t i = 0; i < list->n; i++)
		if (space_equal(t->space, &list->at[i], x))
			return true;
	return false;
}

void trade_racers(const struct trials *t, uint32_t enough, size_t most, struct settings *list)
{
	struct front front = VEC_INIT;

	front_find(t, &front);
	while (list->n < most) {
		const struct tried *next = NULL;

		for (size_t i = 0; i < front.n; i++) {
			const struct tried *s = &t->settings.at[front.at[i]];

			if (s->n < enough && (!next || s->n < next->n) && !is_listed(t, list, &s->x))
				next = s;
		}
		if (!next)
			break;
		vec_push(list, next->x);
	}
	vec_release(&front);
}
