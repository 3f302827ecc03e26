/* SPDX-License-Identifier: MIT */
/* The exact search over 35 correlated candidates of which all have a part in the result. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "analyzer/energy/subset.h"
#include "lib/rng.h"

static double normal(struct rng *r)
{
	return sqrt(-2 * log(1 - rng_unit(r))) * cos(2 * M_PI * rng_unit(r));
}

static void fill(struct energy_gram *g, const struct energy_scaling *s, uint64_t seed)
{
	struct rng r = rng_keyed(seed, 0, 0, 0);
	double cost[ENERGY_MAX_SUBSET], z[ENERGY_MAX_SUBSET];

	for (size_t i = 0; i < ENERGY_MAX_SUBSET; i++)
		cost[i] = normal(&r);
	for (int row = 0; row < 500; row++) {
		double common = 3 * normal(&r), other = 2 * normal(&r), y = 3 * normal(&r);

		for (size_t i = 0; i < ENERGY_MAX_SUBSET; i++) {
			z[i] = common + other * (double)(i % 4) + normal(&r);
			y += z[i] * cost[i];
		}
		energy_gram_add(g, s, z, y, 1);
	}
}

int main(void)
{
	struct energy_scaling s = {.n = ENERGY_MAX_SUBSET};
	double worst = 0;
	uint64_t most = 0;

	for (size_t i = 0; i <= ENERGY_MAX_SUBSET; i++)
		s.scale[i] = 1;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		static struct energy_normal n;
		static struct energy_subsets out;
		struct energy_gram g = energy_gram_new(ENERGY_MAX_SUBSET);
		clock_t begin;
		double took;

		fill(&g, &s, seed);
		energy_gram_normal(&g, &s, &n);
		begin = clock();
		if (energy_subsets_find(&n, UINT64_MAX, 10, NULL, NULL, &out, NULL) || !out.exact)
			return 1;
		took = (double)(clock() - begin) / CLOCKS_PER_SEC;
		worst = fmax(worst, took);
		most = out.tried > most ? out.tried : most;
		energy_gram_release(&g);
	}
	printf("seconds %.3f\ntried %llu\n", worst, (unsigned long long)most);
	return 0;
}
