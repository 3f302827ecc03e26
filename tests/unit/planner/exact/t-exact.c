/* SPDX-License-Identifier: MIT */
/* The enumeration against counts known from elsewhere and against brute force. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "planner/exact/exact.h"
#include "planner/exact/symmetry.h"
#include "tests/unit/planner/exhaust.h"

/* ---- counting ---- */

static uint64_t count_canonical(const struct machine *m, struct touched *t, uint32_t threads)
{
	uint64_t n = 0;

	if (!threads)
		return 1;
	for (uint32_t u = 0; u < m->n_units; u++) {
		if (!symmetry_canonical(t, m, u))
			continue;
		touched_add(t, m, u, 1);
		n += count_canonical(m, t, threads - 1);
		touched_add(t, m, u, -1);
	}
	return n;
}

static void canonical_placements_on_2x2x2_cores_are_as_many_as_published(void **state)
{
	static const uint64_t known[][2] = {{2, 4}, {3, 19}, {4, 103}, {5, 616}, {6, 3964}, {8, 190768}};
	struct platform pf;
	struct machine m;
	struct touched t;

	(void)state;
	small_platform(&pf, 2, 2, 2, 2, CLOCK_CORE);
	assert_int_equal(machine_init(&m, &pf, NULL), 0);
	touched_init(&t, &m);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(count_canonical(&m, &t, (uint32_t)known[i][0]), known[i][1]);
	touched_release(&t);
	machine_release(&m);
	platform_release(&pf);
}

static void cores_with_odd_clocks_are_not_exchanged(void **state)
{
	struct platform pf;
	struct machine m;
	struct touched t;

	(void)state;
	small_platform(&pf, 2, 2, 2, 2, CLOCK_ODD);
	assert_int_equal(machine_init(&m, &pf, NULL), 0);
	touched_init(&t, &m);
	assert_false(m.symmetric);
	assert_int_equal(count_canonical(&m, &t, 3), 8 * 8 * 8);
	touched_release(&t);
	machine_release(&m);
	platform_release(&pf);
}

static void two_packages_of_two_groups_of_two_have_128_exchanges(void **state)
{
	struct permutations perms;
	struct platform pf;
	struct machine m;

	(void)state;
	small_platform(&pf, 2, 2, 2, 1, CLOCK_PACKAGE);
	assert_int_equal(machine_init(&m, &pf, NULL), 0);
	permutations_init(&perms, &m, 1024);
	assert_int_equal(perms.n, 128);
	assert_true(perms.complete);
	for (uint32_t u = 0; u < m.n_units; u++)
		assert_int_equal(perms.to[u], u);
	permutations_release(&perms);
	permutations_init(&perms, &m, 100);
	assert_int_equal(perms.n, 100);
	assert_false(perms.complete);
	permutations_release(&perms);
	machine_release(&m);
	platform_release(&pf);
}

static void check_phase(uint64_t seed, enum plan_objective objective)
{
	const struct exact_options opts = {.goal.objective = objective, .keep = 4, .max_work = UINT64_MAX};
	struct candidates c;
	struct scratch s;
	struct design fixed;
	struct instance x;
	struct cost best;

	draw(&x, seed, 1);
	scratch_init(&s, &x.pb);
	design_init(&fixed, &x.pb);
	assert_int_equal(x.pb.n_blocks, 1);
	exact_search(&x.pb, 0, &fixed, &opts, &s, &c);
	best = brute_force(&x.pb, false, objective);
	assert_true(c.proven);
	/* The unit ticks of light members are left out of the search and counted by brute force. */
	if (x.pb.phases[0].n_heavy == x.pb.phases[0].n_members)
		assert_true(cost_primary(&c.at[0].cost, &opts.goal) == cost_primary(&best, &opts.goal));
	else
		assert_true(cost_primary(&c.at[0].cost, &opts.goal) <= cost_primary(&best, &opts.goal));
	candidates_release(&c);
	design_release(&fixed);
	scratch_release(&s);
	drop(&x);
}

static void enumeration_finds_the_brute_force_optimum_of_a_phase(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		check_phase(seed, PLAN_TIME);
		check_phase(seed, PLAN_ENERGY);
	}
}

static void whole_plans_lie_between_bound_and_brute_force(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		const struct planner_options o = {.goal.objective = seed % 2 ? PLAN_TIME : PLAN_ENERGY,
						  .seed = seed};
		struct instance x;
		struct planner p;
		struct cost best;
		uint64_t plan, brute;

		draw(&x, seed, 2);
		assert_int_equal(planner_run(&p, &x.k.m, &x.pf, &o, NULL), 0);
		best = brute_force(&x.pb, true, o.goal.objective);
		brute = cost_primary(&best, &o.goal);
		plan = cost_primary(&p.out.best_ev.total, &o.goal);
		assert_true(cost_primary(&p.out.bound, &o.goal) <= brute);
		assert_true(plan >= brute);
		/* 0.2 % is what the minimiser may give away. */
		assert_true(plan <= brute + brute / 500);
		planner_release(&p);
		drop(&x);
	}
}

static void no_placement_is_below_the_relaxed_bound(void **state)
{
	(void)state;
	for (uint64_t seed = 100; seed < 160; seed++) {
		struct instance x;
		struct cost relaxed, time, energy;

		draw(&x, seed, 1);
		relaxed = exact_relaxed(&x.pb, 0);
		time = brute_force(&x.pb, false, PLAN_TIME);
		energy = brute_force(&x.pb, false, PLAN_ENERGY);
		assert_true(relaxed.time_ns <= time.time_ns && relaxed.energy_pj <= energy.energy_pj);
		assert_true(relaxed.time_ns > time.time_ns / 4 && relaxed.energy_pj > energy.energy_pj / 4);
		drop(&x);
	}
}

static void a_search_cut_short_does_not_call_itself_proven(void **state)
{
	const struct exact_options opts = {.goal.objective = PLAN_ENERGY, .keep = 4, .max_work = 3};
	struct candidates c;
	struct scratch s;
	struct design fixed;
	struct instance x;

	(void)state;
	draw(&x, 1, 1);
	scratch_init(&s, &x.pb);
	design_init(&fixed, &x.pb);
	exact_search(&x.pb, 0, &fixed, &opts, &s, &c);
	assert_false(c.proven);
	candidates_release(&c);
	design_release(&fixed);
	scratch_release(&s);
	drop(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(canonical_placements_on_2x2x2_cores_are_as_many_as_published),
		cmocka_unit_test(cores_with_odd_clocks_are_not_exchanged),
		cmocka_unit_test(two_packages_of_two_groups_of_two_have_128_exchanges),
		cmocka_unit_test(enumeration_finds_the_brute_force_optimum_of_a_phase),
		cmocka_unit_test(whole_plans_lie_between_bound_and_brute_force),
		cmocka_unit_test(no_placement_is_below_the_relaxed_bound),
		cmocka_unit_test(a_search_cut_short_does_not_call_itself_proven),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
