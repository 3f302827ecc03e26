/* SPDX-License-Identifier: MIT */
#include "tuner/search/propose.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/search/race.h"

#define RANDOM  250 /* settings at random */
#define LEADERS 5   /* from which steps are made */
#define STEPS   30  /* of each leader: one tunable */
#define PAIRS   30  /* ... two tunables */
#define MIXED   60  /* of two leaders */
#define CLIMBS  3   /* of the best are climbed from */
#define UPHILL  8   /* steps of a climb at most */

static bool among(const struct space *s, const struct settings *list, const struct setting *x)
{
	for (size_t i = 0; i < list->n; i++)
		if (space_equal(s, &list->at[i], x))
			return true;
	return false;
}

static void push_new(const struct space *s, struct settings *out, struct setting x)
{
	space_settle(s, &x);
	if (space_allowed(s, &x) && !among(s, out, &x))
		vec_push(out, x);
}

/* Tunable @j alone away from the default: ends and middle of what has an order, some of what has none. */
static void start_along(const struct space *s, size_t j, struct rng *rng, struct settings *out)
{
	const struct tunable *t = &s->tunables[j];
	const uint32_t places[] = {0, t->n - 1, (t->n - 1) / 2};

	for (size_t k = 0; k < sizeof(places) / sizeof(places[0]); k++) {
		struct setting x = space_default(s);

		if (t->words)
			space_step(s, &x, j, 1, rng);
		else
			x.at[j] = places[k];
		push_new(s, out, x);
	}
}

void propose_start(const struct space *s, struct rng *rng, size_t most, struct settings *out)
{
	push_new(s, out, space_default(s));
	for (size_t j = 0; j < s->n_tunables && out->n < most / 2; j++)
		start_along(s, j, rng, out);
	for (size_t k = 0; k < 4 * most && out->n < most; k++) {
		struct setting x;

		if (space_random(s, rng, &x))
			push_new(s, out, x);
	}
	if (out->n > most)
		out->n = most;
}

/* A step of one value, of some, or to any. */
static int64_t stride(const struct tunable *t, struct rng *rng)
{
	int64_t by = 1;

	if (rng_below(rng, 2))
		by = 1 + (int64_t)rng_below(rng, t->n / 4 + 1);
	return rng_below(rng, 2) ? by : -by;
}

struct hunt {
	const struct model *m;
	const struct trials *t;
	const struct space *s;
	const struct settings *taken;
	struct rng *rng;
	double best;
	bool unknown;
	struct setting top[CLIMBS];
	double score[CLIMBS]; /* descending */
};

static double hunt_score(const struct hunt *h, const struct setting *x)
{
	double mean, sd;

	if (!h->unknown)
		return model_gain(h->m, x, h->best);
	model_predict(h->m, x, &mean, &sd);
	return sd * model_runs(h->m, x);
}

/* Is @x a setting that could be tried? */
static bool hunt_free(const struct hunt *h, const struct setting *x)
{
	return space_allowed(h->s, x) && trials_find(h->t, x) == SIZE_MAX && !among(h->s, h->taken, x);
}

static void hunt_look(struct hunt *h, struct setting x)
{
	double score;
	int k;

	space_settle(h->s, &x);
	if (!hunt_free(h, &x))
		return;
	score = hunt_score(h, &x);
	for (k = 0; k < CLIMBS; k++)
		if (h->score[k] >= 0 && space_equal(h->s, &h->top[k], &x))
			return;
	for (k = CLIMBS; k > 0 && score > h->score[k - 1]; k--) {
		if (k == CLIMBS)
			continue;
		h->top[k] = h->top[k - 1];
		h->score[k] = h->score[k - 1];
	}
	if (k < CLIMBS) {
		h->top[k] = x;
		h->score[k] = score;
	}
}

/* The settings with the least means, good or dropped: where steps begin. */
static size_t leaders(const struct trials *t, size_t *out)
{
	size_t n = 0;

	for (size_t i = 0; i < t->settings.n; i++) {
		size_t k = n < LEADERS ? n : LEADERS;

		if (!t->settings.at[i].n || t->settings.at[i].end != TRIAL_OK)
			continue;
		for (; k > 0 && t->settings.at[i].mean < t->settings.at[out[k - 1]].mean; k--)
			if (k < LEADERS)
				out[k] = out[k - 1];
		if (k < LEADERS)
			out[k] = i;
		n += n < LEADERS;
	}
	return n;
}

/* The neighbours of the leaders, by one and by two tunables, and mixtures of two leaders. */
static void hunt_near(struct hunt *h)
{
	size_t from[LEADERS + 1], n = leaders(h->t, from), dims = h->s->n_tunables;

	for (size_t k = 0; k < n; k++)
		for (int i = 0; i < STEPS + PAIRS; i++) {
			struct setting x = h->t->settings.at[from[k]].x;
			size_t a = rng_below(h->rng, dims), b = rng_below(h->rng, dims);

			space_step(h->s, &x, a, stride(&h->s->tunables[a], h->rng), h->rng);
			if (i >= STEPS)
				space_step(h->s, &x, b, stride(&h->s->tunables[b], h->rng), h->rng);
			hunt_look(h, x);
		}
	for (int i = 0; i < MIXED && n > 1; i++) {
		struct setting x = h->t->settings.at[from[rng_below(h->rng, n)]].x;
		const struct setting *y = &h->t->settings.at[from[rng_below(h->rng, n)]].x;

		for (size_t j = 0; j < dims; j++)
			if (rng_below(h->rng, 2))
				x.at[j] = y->at[j];
		hunt_look(h, x);
	}
}

/* Steps from a good proposal to better ones. */
static void hunt_climb(struct hunt *h, struct setting x, double score)
{
	for (int i = 0; i < UPHILL; i++) {
		struct setting best = x;
		double most = score;

		for (size_t j = 0; j < h->s->n_tunables; j++)
			for (int k = 0; k < 4; k++) {
				struct setting y = x;
				int64_t by = k < 2 ? 1 : 1 + (int64_t)(h->s->tunables[j].n / 16);

				if (!space_step(h->s, &y, j, k % 2 ? by : -by, h->rng))
					continue;
				space_settle(h->s, &y);
				if (!hunt_free(h, &y))
					continue;
				score = hunt_score(h, &y);
				if (score > most) {
					most = score;
					best = y;
				}
			}
		if (space_equal(h->s, &best, &x))
			return;
		x = best;
		score = most;
		hunt_look(h, x);
	}
}

/* All settings of a small space. */
static void hunt_all(struct hunt *h)
{
	for (uint64_t k = 0; k < (uint64_t)space_size(h->s); k++)
		hunt_look(h, space_at(h->s, k));
}

bool propose_next(const struct model *m, const struct trials *t, const struct settings *taken, double best,
		  bool unknown, struct rng *rng, struct setting *x, double *gain)
{
	struct hunt h = {
		.m = m, .t = t, .s = t->space, .taken = taken, .rng = rng, .best = best, .unknown = unknown};

	for (int k = 0; k < CLIMBS; k++)
		h.score[k] = -1;
	if (space_size(t->space) <= 2 * RANDOM) {
		hunt_all(&h);
	} else {
		for (int i = 0; i < RANDOM; i++)
			if (space_random(t->space, rng, x))
				hunt_look(&h, *x);
		if (!unknown)
			hunt_near(&h);
		for (int k = 0; k < CLIMBS && !unknown; k++)
			if (h.score[k] >= 0)
				hunt_climb(&h, h.top[k], h.score[k]);
	}
	if (h.score[0] < 0)
		return false;
	*x = h.top[0];
	*gain = model_gain(m, x, best);
	return true;
}
