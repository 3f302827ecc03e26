/* SPDX-License-Identifier: MIT */
/*
 * Searches of others, each as it is described, with one addition for all: the last tenth of the
 * trials runs the five best again, and the least mean is chosen (else the luckiest run would be).
 * A setting that was run is not run again by the search itself, as Kernel Tuner's cache does.
 */
#include <math.h>
#include <stdlib.h>

#include "lib/mem.h"
#include "tests/bench/tune/landscape.h"

#define LAST 5

static bool spent(const struct oracle *o)
{
	return o->runs >= o->l->trials - o->l->trials / 10;
}

/* The value of @x, run now or before; HUGE_VAL if it is not allowed. */
static double peer_value(struct oracle *o, struct trials *t, struct setting *x)
{
	size_t i;

	space_settle(o->s, x);
	if (!space_allowed(o->s, x))
		return HUGE_VAL;
	i = trials_index(t, x);
	if (!t->settings.at[i].n)
		trials_add(t, i, 0, TRIAL_OK, oracle_run(o, x));
	return exp(t->settings.at[i].mean);
}

static int by_mean(const void *a, const void *b)
{
	const struct tried *p = a, *q = b;

	return (p->mean > q->mean) - (p->mean < q->mean);
}

static struct setting peer_choose(struct oracle *o, struct trials *t)
{
	struct setting x;
	size_t n;

	qsort(t->settings.at, t->settings.n, sizeof(*t->settings.at), by_mean);
	n = t->settings.n < LAST ? t->settings.n : LAST;
	for (size_t k = 0; o->runs < o->l->trials; k++)
		trials_add(t, k % n, 0, TRIAL_OK, oracle_run(o, &t->settings.at[k % n].x));
	qsort(t->settings.at, n, sizeof(*t->settings.at), by_mean);
	x = t->settings.at[0].x;
	trials_release(t);
	return x;
}

struct setting peer_random(struct oracle *o, uint64_t seed)
{
	struct rng rng = rng_keyed(seed, 1, 0, 0);
	struct setting x = space_default(o->s);
	struct trials t;

	trials_init(&t, o->s);
	for (int i = 0; i < 100000 && !spent(o); i++) {
		peer_value(o, &t, &x);
		space_random(o->s, &rng, &x);
	}
	return peer_choose(o, &t);
}

/* Figure 8 of seed 001: from the first value of each, one tunable at a time, one value at a time, as long as it gets better. */
struct setting peer_seed001(struct oracle *o, uint64_t seed)
{
	struct setting x = {{0}}, before;
	struct trials t;
	double best;

	(void)seed;
	trials_init(&t, o->s);
	best = peer_value(o, &t, &x);
	do {
		before = x;
		for (size_t j = 0; j < o->s->n_tunables && !spent(o); j++)
			while (!spent(o) && x.at[j] + 1 < o->s->tunables[j].n) {
				struct setting y = x;
				double value;

				y.at[j]++;
				value = peer_value(o, &t, &y);
				if (value >= best || y.at[j] != x.at[j] + 1)
					break;
				best = value;
				x = y;
			}
	} while (!spent(o) && !space_equal(o->s, &before, &x));
	return peer_choose(o, &t);
}

/* Differential evolution, best/1/bin with dither, as in SciPy, which Kernel Tuner calls. */
#define CROWD 15
struct setting peer_evolution(struct oracle *o, uint64_t seed)
{
	struct rng rng = rng_keyed(seed, 2, 0, 0);
	struct setting crowd[CROWD];
	double value[CROWD], f = 0.5;
	size_t dims = o->s->n_tunables, best = 0;
	struct trials t;

	trials_init(&t, o->s);
	for (size_t i = 0; i < CROWD; i++) {
		space_random(o->s, &rng, &crowd[i]);
		value[i] = peer_value(o, &t, &crowd[i]);
		best = value[i] < value[best] ? i : best;
	}
	for (int k = 0; k < 20000 && !spent(o); k++) {
		size_t i = (size_t)k % CROWD, a = rng_below(&rng, CROWD), b = rng_below(&rng, CROWD);
		size_t sure = rng_below(&rng, dims);
		struct setting y = crowd[i];
		double now;

		f = i ? f : 0.5 + 0.5 * rng_unit(&rng);
		for (size_t j = 0; j < dims; j++) {
			double n = o->s->tunables[j].n,
			       to = crowd[best].at[j] + f * ((double)crowd[a].at[j] - crowd[b].at[j]);

			if (j != sure && rng_unit(&rng) >= 0.7)
				continue;
			if (to < -0.5 || to >= n - 0.5)
				to = floor(n * rng_unit(&rng));
			y.at[j] = (uint32_t)lround(to);
		}
		now = peer_value(o, &t, &y);
		if (now > value[i])
			continue;
		crowd[i] = y;
		value[i] = now;
		best = now < value[best] ? i : best;
	}
	return peer_choose(o, &t);
}

/* Simulated annealing as Kernel Tuner does it: T from 1 to 0.001 over the trials, steps to a neighbour in each tunable by chance. */
struct setting peer_annealing(struct oracle *o, uint64_t seed)
{
	struct rng rng = rng_keyed(seed, 3, 0, 0);
	struct setting x;
	struct trials t;
	double here;

	trials_init(&t, o->s);
	space_random(o->s, &rng, &x);
	here = peer_value(o, &t, &x);
	for (int k = 0; k < 20000 && !spent(o); k++) {
		double hot = pow(0.001, (double)o->runs / o->l->trials), next;
		struct setting y = x;

		for (size_t j = 0; j < o->s->n_tunables; j++) {
			if (rng_unit(&rng) < 0.2)
				y.at[j] = (uint32_t)rng_below(&rng, o->s->tunables[j].n);
			else if (rng_below(&rng, 2))
				space_step(o->s, &y, j, rng_below(&rng, 2) ? 1 : -1, &rng);
		}
		next = peer_value(o, &t, &y);
		if (!(next < HUGE_VAL) || (next > here && rng_unit(&rng) >= exp((here - next) / here / hot)))
			continue;
		x = y;
		here = next;
	}
	return peer_choose(o, &t);
}
