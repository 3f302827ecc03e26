/* SPDX-License-Identifier: MIT */
/* Steps that a faster one outdoes are left out, and no optimum changes by it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "planner/exact/exact.h"
#include "tests/unit/planner/small.h"

#define STEPS 3

struct bench {
	struct platform pf;
	struct machine m;
	struct maker k;
	struct problem pb;
	struct scratch s;
	struct stepper st;
};

/* Watts by step; the threads' memory time. */
static void open_bench(struct bench *b, uint64_t seed, enum clocks clocks, const uint64_t *busy,
		       const uint64_t *idle, uint64_t memory_ns)
{
	struct rng rng = rng_keyed(seed, 7, 0, 0);

	small_platform(&b->pf, 2, 1, 2, STEPS, clocks);
	for (uint32_t s = 0; s < STEPS; s++) {
		b->pf.steps[s].busy_mw = busy[s];
		b->pf.steps[s].idle_mw = idle[s];
	}
	small_model(&b->k, &rng, 3, 0, 1);
	for (size_t i = 0; i < b->k.m.phases[0].n_work; i++)
		b->k.m.phases[0].work[i].memory_ns = memory_ns;
	assert_int_equal(machine_init(&b->m, &b->pf, NULL), 0);
	assert_int_equal(problem_init(&b->pb, &b->k.m, &b->m, NULL), 0);
	scratch_init(&b->s, &b->pb);
	stepper_init(&b->st, &b->pb);
}

static void close_bench(struct bench *b)
{
	stepper_release(&b->st);
	scratch_release(&b->s);
	problem_release(&b->pb);
	machine_release(&b->m);
	model_release(&b->k.m);
	platform_release(&b->pf);
}

/* The least cost of a placement over all combinations of all steps. */
static struct cost by_force(struct bench *b, const struct prob_phase *ph, const uint16_t *unit,
			    const struct goal *goal)
{
	struct cost best = {.time_ns = UINT64_MAX, .energy_pj = UINT64_MAX};
	uint32_t all = 1;

	for (uint32_t d = 0; d < b->m.n_domains; d++)
		all *= STEPS;
	for (uint32_t c = 0; c < all; c++) {
		uint8_t step[8];
		struct phase_cost is;
		struct cost cost;

		for (uint32_t d = 0, rest = c; d < b->m.n_domains; d++, rest /= STEPS)
			step[d] = (uint8_t)(rest % STEPS);
		phase_eval(&b->pb, ph, ph->n_heavy, unit, step, &b->s, &is);
		cost = (struct cost){.time_ns = is.time_ns, .energy_pj = is.energy_pj};
		if (cost_compare(&cost, &best, goal) < 0)
			best = cost;
	}
	return best;
}

static void compare_placements(struct bench *b, uint64_t seed, enum plan_objective objective)
{
	const struct prob_phase *ph = &b->pb.phases[0];
	const struct goal goal = {.objective = objective};
	struct rng rng = rng_keyed(seed, 8, 0, 0);

	for (int i = 0; i < 6; i++) {
		struct cost found, wanted;
		uint16_t unit[8] = {0};
		uint8_t step[8];

		for (uint32_t k = 0; k < ph->n_heavy; k++)
			unit[k] = (uint16_t)rng_below(&rng, b->m.n_units);
		steps_separable(&b->pb, ph, unit, &goal, &b->st, step, &found);
		wanted = by_force(b, ph, unit, &goal);
		assert_true(found.time_ns == wanted.time_ns && found.energy_pj == wanted.energy_pj);
	}
}

/* Idle watts alike, so that a step is worth something only if it needs less above them. */
static const uint64_t same_idle[STEPS] = {1000, 1000, 1000};
static const uint64_t falling_idle[STEPS] = {1500, 1200, 900};
static const uint64_t steep[STEPS] = {5000, 3200, 2000};
static const uint64_t flat[STEPS] = {5000, 4200, 3800};
static const uint64_t mixed[STEPS] = {5000, 3200, 3150}; /* the middle one is worth it, the last is not */

static void no_optimum_changes(void **state)
{
	const uint64_t *busy[] = {steep, flat, mixed}, *idle[] = {same_idle, falling_idle};

	(void)state;
	for (uint64_t seed = 0; seed < 72; seed++) {
		struct bench b;

		open_bench(&b, seed, (enum clocks)(seed % CLOCKS), busy[seed % 3], idle[seed / 3 % 2],
			   (seed & 1) * 500000);
		compare_placements(&b, seed, PLAN_ENERGY);
		compare_placements(&b, seed, PLAN_TIME);
		close_bench(&b);
	}
}

static void expect(const uint64_t *busy, const uint64_t *idle, uint64_t memory_ns, bool second, bool third)
{
	bool useless[STEPS];
	struct bench b;

	open_bench(&b, 1, CLOCK_CORE, busy, idle, memory_ns);
	steps_useless(&b.m, &b.pb.phases[0], useless);
	assert_false(useless[0]);
	assert_int_equal(useless[1], second);
	assert_int_equal(useless[2], third);
	close_bench(&b);
}

static void steps_are_left_out_where_a_faster_one_needs_no_more(void **state)
{
	(void)state;
	expect(flat, same_idle, 0, true, true);
	expect(mixed, same_idle, 0, false, true);
}

/* The negative twins: cheaper steps, lower idle watts, work that no step makes longer. */
static void steps_stay_where_they_may_help(void **state)
{
	(void)state;
	expect(steep, same_idle, 0, false, false);
	expect(flat, falling_idle, 0, false, false);
	expect(flat, same_idle, 100000000, false, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_optimum_changes),
		cmocka_unit_test(steps_are_left_out_where_a_faster_one_needs_no_more),
		cmocka_unit_test(steps_stay_where_they_may_help),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
