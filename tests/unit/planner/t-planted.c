/* SPDX-License-Identifier: MIT */
/* Instances with a planted optimum: found, and not by accident. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "planner/cost/live.h"
#include "planner/exact/equal.h"
#include "planted.h"

/* Small enough to be enumerated. */
static const struct planted_shape few[] = {
	{.packages = 2,
	 .groups = 2,
	 .cores = 2,
	 .used = 1,
	 .steps = 2,
	 .right = 0,
	 .threads = 7,
	 .phases = 3},
	{.packages = 2,
	 .groups = 2,
	 .cores = 2,
	 .used = 1,
	 .steps = 3,
	 .right = 1,
	 .clocks = CLOCK_PACKAGE,
	 .threads = 6,
	 .phases = 4,
	 .pairs = 2},
	{.packages = 3,
	 .groups = 1,
	 .cores = 2,
	 .used = 2,
	 .steps = 2,
	 .right = 1,
	 .clocks = CLOCK_GROUP,
	 .threads = 6,
	 .phases = 2,
	 .static_percent = 34},
};

/* Too large for that. */
static const struct planted_shape many[] = {
	{.packages = 4,
	 .groups = 2,
	 .cores = 4,
	 .used = 2,
	 .steps = 3,
	 .right = 1,
	 .clocks = CLOCK_PACKAGE,
	 .threads = 32,
	 .phases = 4,
	 .pairs = 6},
	{.packages = 2,
	 .groups = 4,
	 .cores = 4,
	 .used = 1,
	 .steps = 2,
	 .right = 0,
	 .threads = 32,
	 .phases = 3,
	 .static_percent = 25},
};

struct instance {
	struct planted x;
	struct machine m;
	struct problem pb;
	struct cost planted;
};

static void make(struct instance *i, const struct planted_shape *shape, uint64_t seed)
{
	struct planted_shape sh = *shape;

	sh.seed = seed;
	planted_make(&i->x, &sh);
	assert_int_equal(machine_init(&i->m, &i->x.pf, NULL), 0);
	assert_int_equal(problem_init(&i->pb, &i->x.k.m, &i->m, NULL), 0);
	i->planted = planted_cost(&i->x, &i->pb);
}

static void drop(struct instance *i)
{
	problem_release(&i->pb);
	machine_release(&i->m);
	planted_release(&i->x);
}

/* Energy above the planted design's, percent. */
static double above(const struct instance *i, uint64_t energy_pj)
{
	return 100 * ((double)energy_pj / (double)i->planted.energy_pj - 1);
}

static double plan(const struct instance *i, struct planner_options o)
{
	struct planner p;
	double gap;

	o.goal.objective = PLAN_ENERGY;
	assert_int_equal(planner_run(&p, &i->x.k.m, &i->x.pf, &o, NULL), 0);
	assert_true(p.out.bound.energy_pj <= i->planted.energy_pj);
	gap = above(i, p.out.best_ev.total.energy_pj);
	planner_release(&p);
	return gap;
}

static void what_is_planted_is_the_bound_of_every_phase(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(few) / sizeof(few[0]); k++)
		for (uint64_t seed = 1; seed <= 20; seed++) {
			struct instance i;

			make(&i, &few[k], seed);
			assert_true(i.planted.energy_pj > 0);
			drop(&i);
		}
}

static void the_planted_optimum_is_found_to_a_tenth_of_a_percent(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(few) / sizeof(few[0]); k++)
		for (uint64_t seed = 1; seed <= 3; seed++) {
			struct instance i;

			make(&i, &few[k], seed);
			assert_true(plan(&i, (struct planner_options){.seed = seed}) <= 0.1);
			drop(&i);
		}
}

static void large_instances_come_within_a_percent_of_the_bound(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(many) / sizeof(many[0]); k++) {
		struct instance i;

		make(&i, &many[k], 1);
		assert_true(i.planted.energy_pj > 0);
		assert_true(plan(&i, (struct planner_options){.seed = 1, .evaluations = 200000}) <= 1);
		drop(&i);
	}
}

static double design_gap(const struct instance *i, enum baseline kind, uint64_t seed)
{
	struct scratch s;
	struct design d;
	struct evaluation ev;
	double gap;

	scratch_init(&s, &i->pb);
	design_init(&d, &i->pb);
	evaluation_init(&ev, &i->pb, false);
	baseline_make(&i->pb, kind, seed, &d);
	eval_all(&i->pb, &d, &s, &ev);
	gap = above(i, ev.total.energy_pj);
	evaluation_release(&ev);
	design_release(&d);
	scratch_release(&s);
	return gap;
}

static void neither_the_baselines_nor_chance_find_it(void **state)
{
	struct instance i;

	(void)state;
	make(&i, &many[0], 1);
	assert_true(design_gap(&i, BASELINE_SPREAD, 1) > 10);
	assert_true(design_gap(&i, BASELINE_PACK, 1) > 10);
	for (uint64_t seed = 1; seed <= 100; seed++)
		assert_true(design_gap(&i, BASELINE_RANDOM, seed) > 10);
	drop(&i);
}

/* ---- moves within a phase ---- */

static void check_phases(const struct live *l, const struct instance *i, const struct design *d,
			 struct scratch *s)
{
	for (uint32_t p = 0; p < i->pb.n_phases; p++) {
		struct phase_cost c;

		eval_phase(&i->pb, d, p, s, &c);
		assert_int_equal(l->cost[p].time_ns, c.time_ns);
		assert_int_equal(l->cost[p].energy_pj, c.energy_pj);
		assert_int_equal(l->cost[p].draw_mw, c.draw_mw);
	}
}

static void walk(struct instance *i, struct rng *rng)
{
	struct scratch s;
	struct design d;
	struct live l;

	scratch_init(&s, &i->pb);
	design_init(&d, &i->pb);
	baseline_make(&i->pb, BASELINE_RANDOM, 1, &d);
	for (size_t k = 0; k < (size_t)i->pb.n_epochs * i->m.n_domains; k++)
		d.step[k] = (uint8_t)rng_below(rng, i->m.n_steps);
	live_init(&l, &i->pb, &s);
	for (uint32_t p = 0; p < i->pb.n_phases; p++)
		live_build(&l, &d, p);
	for (int k = 0; k < 100; k++) {
		uint32_t slot = (uint32_t)rng_below(rng, i->pb.n_slots);

		check_phases(&l, i, &d, &s);
		d.unit[slot] = (uint16_t)rng_below(rng, i->m.n_units);
		for (uint32_t at = l.spot_at[slot]; at < l.spot_at[slot + 1]; at++)
			live_move(&l, l.spots[at].phase, l.spots[at].member, d.unit[slot],
				  design_steps(&i->pb, &d, l.spots[at].phase));
	}
	live_release(&l);
	design_release(&d);
	scratch_release(&s);
}

static void a_phase_changed_by_moves_costs_what_it_costs_from_nothing(void **state)
{
	struct rng rng = rng_keyed(7, 0, 0, 0);

	(void)state;
	for (size_t k = 0; k < sizeof(few) / sizeof(few[0]); k++)
		for (int halts = 0; halts < 2; halts++) {
			struct instance i;

			planted_make(&i.x, &few[k]);
			i.x.pf.can_halt = halts;
			maker_conflict(&i.x.k, 1, 4, 30);
			maker_conflict(&i.x.k, 2, 4, 3);
			assert_int_equal(machine_init(&i.m, &i.x.pf, NULL), 0);
			assert_int_equal(problem_init(&i.pb, &i.x.k.m, &i.m, NULL), 0);
			walk(&i, &rng);
			drop(&i);
		}
}

/* ---- equal phases ---- */

/* The third phase does what the second does, but for @more cycles of one thread. */
static bool second_and_third_are_twins(uint64_t more, double *gap)
{
	struct planted_shape shape = few[1];
	struct instance i;
	bool twins;

	shape.seed = 3;
	planted_make(&i.x, &shape);
	for (size_t t = 0; t < i.x.k.m.phases[2].n_work; t++)
		i.x.k.m.phases[2].work[t].cycles = i.x.k.m.phases[1].work[t].cycles;
	i.x.k.m.phases[2].work[0].cycles += more;
	memcpy(i.x.core + 2 * (size_t)shape.threads, i.x.core + shape.threads,
	       shape.threads * sizeof(*i.x.core));
	assert_int_equal(machine_init(&i.m, &i.x.pf, NULL), 0);
	assert_int_equal(problem_init(&i.pb, &i.x.k.m, &i.m, NULL), 0);
	i.planted = planted_cost(&i.x, &i.pb);
	assert_int_equal(i.pb.n_blocks, shape.phases);
	assert_false(equal_blocks(&i.pb, 0, 1));
	twins = equal_blocks(&i.pb, 1, 2);
	*gap = i.planted.energy_pj ? plan(&i, (struct planner_options){.seed = 1}) : 0;
	drop(&i);
	return twins;
}

static void equal_phases_are_solved_once(void **state)
{
	double gap;

	(void)state;
	assert_true(second_and_third_are_twins(0, &gap));
	assert_true(gap > 0 && gap <= 0.1);
	assert_false(second_and_third_are_twins(1000000, &gap));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_planted_is_the_bound_of_every_phase),
		cmocka_unit_test(the_planted_optimum_is_found_to_a_tenth_of_a_percent),
		cmocka_unit_test(large_instances_come_within_a_percent_of_the_bound),
		cmocka_unit_test(neither_the_baselines_nor_chance_find_it),
		cmocka_unit_test(equal_phases_are_solved_once),
		cmocka_unit_test(a_phase_changed_by_moves_costs_what_it_costs_from_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
