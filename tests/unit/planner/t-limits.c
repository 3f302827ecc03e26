/* SPDX-License-Identifier: MIT */
/* Deadlines, caps, energy-delay and power against exhaustive search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "exhaust.h"

#define SEEDS 30

struct tally {
	uint32_t met, impossible, proven;
};

static const struct goal of_time = {.objective = PLAN_TIME}, of_energy = {.objective = PLAN_ENERGY};

/* The best there is, changes counted, for the goal and limits that @p ended up with. */
static struct cost best_of(struct instance *x, const struct planner *p)
{
	x->pb.cap_mw = p->out.goal.cap_mw;
	x->pb.limited = p->problem.limited;
	for (uint32_t i = 0; i < x->pb.n_phases; i++)
		x->pb.phases[i].limit_ns = p->problem.phases[i].limit_ns;
	return brute_search(&x->pb, true, &p->out.goal, NULL);
}

/* A plan against the best: sound always, and as good but for what the minimiser may give away. */
static void compare(struct instance *x, const struct planner_options *o, bool exact, struct tally *t)
{
	const struct goal *goal;
	struct err err = ERR_INIT;
	struct planner p;
	struct cost best;
	double plan, brute;

	if (planner_run(&p, &x->k.m, &x->pf, o, &err))
		fail_msg("%s", err.msg);
	goal = &p.out.goal;
	best = best_of(x, &p);
	plan = (double)cost_primary(&p.out.best_ev.total, goal);
	brute = (double)cost_primary(&best, goal);
	t->proven += p.out.proven;
	if (!cost_keeps(&best, goal)) {
		assert_false(cost_keeps(&p.out.best_ev.total, goal));
		assert_true(p.out.verdict == PLANNER_IMPOSSIBLE || cost_keeps(&p.out.base_ev.total, goal));
		t->impossible += p.out.verdict == PLANNER_IMPOSSIBLE;
	} else {
		assert_false(p.out.impossible);
		assert_true(cost_keeps(&p.out.best_ev.total, goal));
		assert_true(plan >= brute && plan <= brute * (exact ? 1.0021 : 1.05));
		assert_true(p.out.bound.time_ns <= best.time_ns && p.out.bound.energy_pj <= best.energy_pj);
		assert_true(p.out.bound.peak_mw <= best.peak_mw);
		assert_true(p.out.bound_edp <= (unsigned __int128)best.time_ns * best.energy_pj);
		t->met++;
	}
	planner_release(&p);
}

/* A deadline between (or a little below) the fastest and the most frugal design. */
static void set_deadline(struct instance *x, uint64_t seed, struct planner_options *o)
{
	struct cost fast = brute_search(&x->pb, true, &of_time, NULL);
	struct cost frugal = brute_search(&x->pb, true, &of_energy, NULL);
	struct rng rng = rng_keyed(seed, 4, 4, 4);

	o->deadline.ns = fast.time_ns + (frugal.time_ns - fast.time_ns) * rng_below(&rng, 100) / 100;
	if (seed % 4 == 0)
		o->deadline.ns = fast.time_ns - 1;
}

static void check(bool deadline, bool cap, bool late, enum plan_objective objective, bool exact,
		  struct tally *t)
{
	*t = (struct tally){0};
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct planner_options o = {
			.goal.objective = objective, .seed = seed, .exact_off = !exact, .threads = 1};
		struct rng rng = rng_keyed(seed, 5, 5, 5);
		struct instance x;

		draw(&x, seed, 2);
		if (deadline)
			set_deadline(&x, seed, &o);
		if (cap)
			o.goal.cap_mw = x.m.full_mw * (35 + rng_below(&rng, 60)) / 100;
		if (late)
			o.phase_deadline =
				(struct limit){.relative = true, .permille = (uint32_t)rng_below(&rng, 300)};
		compare(&x, &o, exact, t);
		drop(&x);
	}
	print_message("# met %u, impossible %u, proven %u of %u\n", t->met, t->impossible, t->proven, SEEDS);
}

static void energy_under_a_deadline_is_the_best_there_is(void **state)
{
	struct tally t;

	(void)state;
	check(true, false, false, PLAN_ENERGY, true, &t);
	assert_true(t.met > 15 && t.met < SEEDS && t.impossible > 0);
}

static void a_cap_is_kept_if_it_can_be(void **state)
{
	struct tally t;

	(void)state;
	check(false, true, false, PLAN_TIME, true, &t);
	assert_true(t.met > 15 && t.impossible > 0);
	check(true, true, false, PLAN_ENERGY, true, &t);
	assert_true(t.met > 5 && t.impossible > 2);
}

static void each_phase_keeps_to_its_deadline_if_it_can(void **state)
{
	struct tally t;

	(void)state;
	check(false, false, true, PLAN_ENERGY, true, &t);
	assert_true(t.met > 5);
}

static void energy_times_delay_and_peak_power_are_the_best_there_is(void **state)
{
	struct tally t;

	(void)state;
	check(false, false, false, PLAN_EDP, true, &t);
	assert_int_equal(t.met, SEEDS);
	check(true, false, false, PLAN_POWER, true, &t);
	assert_true(t.met > 15 && t.met < SEEDS && t.impossible > 0);
}

static void without_enumeration_the_goals_are_met_as_well(void **state)
{
	struct tally t;

	(void)state;
	check(true, false, false, PLAN_ENERGY, false, &t);
	assert_true(t.met > 15 && !t.proven);
	check(false, true, false, PLAN_ENERGY, false, &t);
	assert_true(t.met > 10 && !t.proven);
	check(false, false, false, PLAN_EDP, false, &t);
	assert_true(t.met == SEEDS && !t.proven);
}

static void limits_are_compared_first(void **state)
{
	const struct goal goal = {.objective = PLAN_ENERGY, .deadline_ns = 100};
	struct cost slow = {.time_ns = 101, .energy_pj = 1}, fast = {.time_ns = 100, .energy_pj = 50};
	struct cost over = {.time_ns = 100, .energy_pj = 1, .over_mw = 1};

	(void)state;
	assert_true(cost_compare(&fast, &slow, &goal) < 0);
	assert_true(cost_compare(&fast, &slow, &of_energy) > 0);
	assert_true(cost_compare(&over, &slow, &goal) < 0);
	assert_true(cost_compare(&fast, &over, &goal) < 0);
	assert_true(cost_keeps(&fast, &goal) && !cost_keeps(&slow, &goal));
	assert_int_equal(limit_ns(&(struct limit){.relative = true, .permille = 100}, 1000), 1100);
	assert_int_equal(limit_ns(&(struct limit){.ns = 7}, 1000), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_are_compared_first),
		cmocka_unit_test(energy_under_a_deadline_is_the_best_there_is),
		cmocka_unit_test(a_cap_is_kept_if_it_can_be),
		cmocka_unit_test(each_phase_keeps_to_its_deadline_if_it_can),
		cmocka_unit_test(energy_times_delay_and_peak_power_are_the_best_there_is),
		cmocka_unit_test(without_enumeration_the_goals_are_met_as_well),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
