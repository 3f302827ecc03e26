/* SPDX-License-Identifier: MIT */
/* Exhaustive search, written without any of the planner's, and instances small enough for it. */
#ifndef PERSEUS_TESTS_PLANNER_EXHAUST_H
#define PERSEUS_TESTS_PLANNER_EXHAUST_H

#include "planner/exact/front.h"
#include "small.h"

struct brute {
	const struct problem *pb;
	struct scratch s;
	struct evaluation ev;
	struct design d;
	struct goal goal;
	struct cost best;
	struct front *front; /* of all designs within the limits; or NULL */
};

__attribute__((unused)) static void try_steps(struct brute *b, size_t gene)
{
	size_t n = (size_t)b->pb->n_epochs * b->pb->machine->n_domains;

	if (gene == n) {
		eval_all(b->pb, &b->d, &b->s, &b->ev);
		if (cost_compare(&b->ev.total, &b->best, &b->goal) < 0)
			b->best = b->ev.total;
		if (b->front && !b->ev.total.late_ns && !b->ev.total.over_mw)
			front_add(b->front, &(struct front_point){.cost = b->ev.total});
		return;
	}
	for (uint32_t f = 0; f < b->pb->machine->n_steps; f++) {
		b->d.step[gene] = (uint8_t)f;
		try_steps(b, gene + 1);
	}
}

__attribute__((unused)) static void try_units(struct brute *b, uint32_t slot)
{
	if (slot == b->pb->n_slots) {
		try_steps(b, 0);
		return;
	}
	for (uint32_t u = 0; u < b->pb->machine->n_units; u++) {
		b->d.unit[slot] = (uint16_t)u;
		try_units(b, slot + 1);
	}
}

/* The best design for @goal, and @front of all, if not NULL. */
__attribute__((unused)) static struct cost brute_search(const struct problem *pb, bool priced,
							const struct goal *goal, struct front *front)
{
	struct brute b = {.pb = pb,
			  .goal = *goal,
			  .best = {.time_ns = UINT64_MAX, .energy_pj = UINT64_MAX, .peak_mw = UINT64_MAX},
			  .front = front};

	scratch_init(&b.s, pb);
	evaluation_init(&b.ev, pb, priced);
	design_init(&b.d, pb);
	try_units(&b, 0);
	scratch_release(&b.s);
	evaluation_release(&b.ev);
	design_release(&b.d);
	return b.best;
}

__attribute__((unused)) static struct cost brute_force(const struct problem *pb, bool priced,
						       enum plan_objective objective)
{
	const struct goal goal = {.objective = objective};

	return brute_search(pb, priced, &goal, NULL);
}

struct instance {
	struct platform pf;
	struct machine m;
	struct maker k;
	struct problem pb;
};

/* Shapes small enough for brute force: packages, groups, cores, steps, threads. */
__attribute__((unused)) static void draw(struct instance *x, uint64_t seed, uint32_t phases)
{
	static const uint32_t shape[][5] = {{1, 1, 2, 2, 4}, {2, 1, 2, 2, 4}, {1, 2, 2, 1, 5},
					    {2, 1, 1, 3, 4}, {2, 2, 1, 2, 3}, {1, 1, 3, 2, 3}};
	struct rng rng = rng_keyed(seed, 1, 2, 3);
	const uint32_t *s = shape[rng_below(&rng, 6)];
	uint32_t threads = phases > 1 ? 2 : s[4];

	small_platform(&x->pf, s[0], s[1], s[2], phases > 1 && s[3] > 2 ? 2 : s[3],
		       (enum clocks)rng_below(&rng, CLOCKS));
	x->pf.can_halt = rng_below(&rng, 4) != 0;
	if (rng_below(&rng, 3) == 0)
		for (uint32_t f = 0; f < x->pf.n_steps; f++)
			x->pf.steps[f].busy_mw = 5000 - 700 * f; /* lower steps are dominated */
	small_model(&x->k, &rng, threads, (uint32_t)rng_below(&rng, 4), phases);
	assert_int_equal(machine_init(&x->m, &x->pf, NULL), 0);
	assert_int_equal(problem_init(&x->pb, &x->k.m, &x->m, NULL), 0);
}

__attribute__((unused)) static void drop(struct instance *x)
{
	problem_release(&x->pb);
	machine_release(&x->m);
	model_release(&x->k.m);
	platform_release(&x->pf);
}

#endif
