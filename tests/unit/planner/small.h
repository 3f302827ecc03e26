/* SPDX-License-Identifier: MIT */
/* Small platforms and models, drawn by a seed or made by hand. */
#ifndef PERSEUS_TESTS_PLANNER_SMALL_H
#define PERSEUS_TESTS_PLANNER_SMALL_H

#include "gate.h"

/* Which cores share a clock. */
enum clocks { CLOCK_CORE, CLOCK_GROUP, CLOCK_PACKAGE, CLOCK_ALL, CLOCK_ODD, CLOCKS };

/* @packages x @groups x @cores, prices and watts that are plausible and all different. */
__attribute__((unused)) static void small_platform(struct platform *pf, uint32_t packages, uint32_t groups,
						   uint32_t cores, uint32_t steps, enum clocks clocks)
{
	uint32_t n = packages * groups * cores;

	*pf = (struct platform){.name = mem_strdup("small"),
				.source = mem_strdup("made"),
				.n_cores = n,
				.n_packages = packages,
				.n_steps = steps,
				.package_halt_mw = 300 * groups * cores,
				.can_halt = true,
				.energy_known = true,
				.slice_ns = 1000000,
				.frequency_ns = 20000,
				.trigger_ns = 100,
				.affinity_ns = 1000};
	pf->cores = mem_new(n, sizeof(*pf->cores));
	pf->steps = mem_new(steps, sizeof(*pf->steps));
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t domain[CLOCKS] = {i, i / cores, i / (groups * cores), 0, i % 2};

		pf->cores[i] = (struct platform_core){2 * i, i / (groups * cores), i / cores,
						      i,     domain[clocks],       true};
		if (domain[clocks] >= pf->n_domains)
			pf->n_domains = domain[clocks] + 1;
	}
	for (uint32_t s = 0; s < steps; s++)
		pf->steps[s] = (struct platform_step){
			.khz = 2000000 - 500000 * s, .busy_mw = 5000 - 1500 * s, .idle_mw = 1500 - 300 * s};
	for (int d = DIST_SMT; d < DIST_N; d++)
		pf->migrate_ns[d] = 10000u * (unsigned int)d;
	for (int k = 0; k < PRS_KIND_N; k++) {
		pf->price[k].alone_ps = 5000;
		for (int d = 0; d < DIST_N; d++)
			pf->price[k].shared_ps[d] = 5000 + 8000 * (uint64_t)(d > DIST_SMT ? d - DIST_SMT : 0);
	}
}

/* One fork/join phase of @n threads with work drawn from @rng, and @conflicts conflicts. */
__attribute__((unused)) static void small_model(struct maker *k, struct rng *rng, uint32_t n,
						uint32_t conflicts, uint32_t phases)
{
	uint32_t create, barrier;

	maker_init(k, "small");
	maker_thread(k, "main", MODEL_NONE, MODEL_NONE, 0);
	create = maker_site(k, "main", "pthread_create", 1);
	barrier = maker_site(k, "worker", "pthread_barrier_wait", 2);
	for (uint32_t i = 0; i < n; i++)
		maker_thread(k, "worker", 0, create, i);
	for (uint32_t p = 0; p < phases; p++) {
		maker_phase(k, p ? "barrier" : "create");
		for (uint32_t i = 1; i <= n; i++) {
			struct model_work *w =
				maker_work(k, p, i, (double)(100000 + rng_below(rng, 20000000)));

			w->memory_ns = rng_below(rng, 1000000);
			w->starts = p == 0;
			if (p) {
				w->enter_site = barrier;
				w->enter_visit = p;
			}
		}
	}
	for (uint32_t i = 0; i < conflicts; i++) {
		uint32_t a = 1 + (uint32_t)rng_below(rng, n - 1);

		maker_conflict(k, a, a + 1, 1 + rng_unit(rng) * 40);
	}
}

#endif
