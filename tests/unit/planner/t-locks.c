/* SPDX-License-Identifier: MIT */
/* Locks in the fluid model: by hand, against the block simulator, and against trying everything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "exhaust.h"
#include "planner/cost/live.h"
#include "planner/exact/exact.h"
#include "planner/sim/sim.h"

#define MS 1000000ull

/* In the lock @number of a phase: each of its threads holds @percent of its work, those of @mask. */
static void add_lock(struct model_phase *ph, uint32_t number, uint32_t percent, uint32_t mask)
{
	struct model_serial *s;

	ph->serial = mem_resize(ph->serial, ph->n_serial + 1, sizeof(*ph->serial));
	s = &ph->serial[ph->n_serial++];
	*s = (struct model_serial){.lock = number, .object = mem_strdup("mutex m")};
	s->held = mem_new(ph->n_work, sizeof(*s->held));
	for (size_t i = 0; i < ph->n_work; i++) {
		const struct model_work *w = &ph->work[i];

		if (mask >> i & 1)
			s->held[s->n_held++] = (struct model_held){w->thread, w->cycles / 100 * percent,
								   w->memory_ns / 100 * percent};
	}
}

static void open_instance(struct instance *x)
{
	assert_int_equal(machine_init(&x->m, &x->pf, NULL), 0);
	assert_int_equal(problem_init(&x->pb, &x->k.m, &x->m, NULL), 0);
}

/* One phase of @n threads with @cycles each on 2 x 1 x 4 cores of one step. */
static void make_stage(struct instance *x, uint32_t n, uint64_t cycles, uint32_t percent)
{
	uint32_t create;

	small_platform(&x->pf, 2, 1, 4, 1, CLOCK_CORE);
	maker_init(&x->k, "stage");
	maker_thread(&x->k, "main", MODEL_NONE, MODEL_NONE, 0);
	create = maker_site(&x->k, "main", "pthread_create", 1);
	maker_phase(&x->k, "create");
	for (uint32_t i = 0; i < n; i++)
		maker_work(&x->k, 0, maker_thread(&x->k, "w", 0, create, i), (double)cycles)->starts = true;
	if (percent)
		add_lock(&x->k.m.phases[0], 3, percent, UINT32_MAX);
	open_instance(x);
}

static struct cost evaluate(const struct problem *pb, const struct design *d)
{
	struct evaluation ev;
	struct scratch s;
	struct cost total;

	scratch_init(&s, pb);
	evaluation_init(&ev, pb, false);
	eval_all(pb, d, &s, &ev);
	assert_true(eval_balanced(pb, d, &s, &ev));
	total = ev.total;
	evaluation_release(&ev);
	scratch_release(&s);
	return total;
}

/* Thread i on unit i. */
static struct cost spread_out(const struct instance *x)
{
	struct design d;
	struct cost c;

	design_init(&d, &x->pb);
	for (uint32_t i = 0; i < x->pb.phases[0].n_members; i++)
		d.unit[x->pb.phases[0].members[i].slot] = (uint16_t)(i % x->m.n_units);
	c = evaluate(&x->pb, &d);
	design_release(&d);
	return c;
}

static void work_under_one_lock_is_done_one_after_the_other(void **state)
{
	struct instance x;
	struct cost c;

	(void)state;
	/* Eight threads of 1 ms, four in each package. */
	make_stage(&x, 8, 2000000, 0);
	c = spread_out(&x);
	assert_int_equal(c.time_ns, MS);
	assert_int_equal(c.energy_pj, 8 * 5000 * MS);
	drop(&x);
	make_stage(&x, 8, 2000000, 100);
	c = spread_out(&x);
	assert_int_equal(c.time_ns, 8 * MS);
	/* One unit works, three are idle; the other package halts meanwhile. */
	assert_int_equal(c.energy_pj, 8 * MS * (5000 + 3 * 1500 + 1200));
	drop(&x);
	/* Half of the work: the lock is busy for 4 ms. */
	make_stage(&x, 8, 2000000, 50);
	assert_int_equal(spread_out(&x).time_ns, 4 * MS);
	drop(&x);
	/* An eighth: nobody has to wait. */
	make_stage(&x, 8, 2000000, 12);
	assert_int_equal(spread_out(&x).time_ns, MS);
	drop(&x);
}

static void who_holds_a_lock_for_short_is_not_held_up_for_long(void **state)
{
	struct instance x;
	struct scratch s;
	uint64_t until[8] = {0};
	uint16_t unit[3];
	uint8_t step[8] = {0};

	(void)state;
	make_stage(&x, 3, 2000000, 100);
	x.k.m.phases[0].serial[0].held[1].cycles = 200000;
	problem_release(&x.pb);
	assert_int_equal(problem_init(&x.pb, &x.k.m, &x.m, NULL), 0);
	scratch_init(&s, &x.pb);
	for (uint32_t i = 0; i < 3; i++)
		unit[i] = (uint16_t)x.pb.phases[0].members[i].thread;
	locks_raise(&x.m, &x.pb.phases[0], 3, unit, step, s.turns, until);
	assert_int_equal(until[1], 2100000);
	assert_int_equal(until[2], 300000);
	assert_int_equal(until[3], 2100000);
	assert_int_equal(until[0] + until[4], 0);
	scratch_release(&s);
	drop(&x);
}

static void a_lock_with_one_user_costs_nothing(void **state)
{
	struct instance x;

	(void)state;
	make_stage(&x, 4, 2000000, 0);
	add_lock(&x.k.m.phases[0], 0, 100, 1);
	add_lock(&x.k.m.phases[0], 1, 100, 2);
	problem_release(&x.pb);
	assert_int_equal(problem_init(&x.pb, &x.k.m, &x.m, NULL), 0);
	assert_int_equal(x.pb.phases[0].n_locks, 0);
	assert_int_equal(spread_out(&x).time_ns, MS);
	drop(&x);
}

static void a_model_with_locks_is_read_as_it_was_written(void **state)
{
	struct strbuf text = STRBUF_INIT, again = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct instance x;
	struct model back;

	(void)state;
	make_stage(&x, 3, 2000000, 40);
	add_lock(&x.k.m.phases[0], 7, 10, 5);
	x.k.m.threads[0].plannable = false;
	model_text(&x.k.m, &text);
	if (model_parse(&back, text.s, text.len, "made", &err))
		fail_msg("%s", err.msg);
	model_text(&back, &again);
	assert_string_equal(text.s, again.s);
	assert_int_equal(back.phases[0].n_serial, 2);
	assert_int_equal(back.phases[0].serial[1].lock, 7);
	assert_int_equal(back.phases[0].serial[1].n_held, 2);
	assert_int_equal(back.phases[0].serial[1].held[1].thread, 3);
	assert_int_equal(back.phases[0].serial[1].held[1].cycles, 200000);
	model_release(&back);
	strbuf_release(&text);
	strbuf_release(&again);
	drop(&x);
}

/* ---- against the simulator ---- */

static struct cost simulate(const struct problem *pb, const struct design *d)
{
	const struct sim_options o = {0};
	struct sim_result r;
	struct err err = ERR_INIT;

	if (sim_run(pb, d, &o, &r, &err))
		fail_msg("%s", err.msg);
	return r.cost;
}

/* On @units units of both packages. */
static void check_simulated(uint32_t units, double allowed)
{
	for (uint32_t n = 2; n <= 8; n++)
		for (uint32_t percent = 0; percent <= 100; percent += 10) {
			struct instance x;
			struct design d;
			double fluid, simulated;

			make_stage(&x, n, 31000000, percent);
			design_init(&d, &x.pb);
			for (uint32_t i = 0; i < n; i++)
				d.unit[x.pb.home[i + 1]] = (uint16_t)(i % units * 3 % 8);
			fluid = (double)evaluate(&x.pb, &d).time_ns;
			simulated = (double)simulate(&x.pb, &d).time_ns;
			if (fluid < simulated * (1 - allowed) || fluid > simulated * (1 + allowed))
				fail_msg("%u threads, %u %%: %f, simulated %f", n, percent, fluid, simulated);
			design_release(&d);
			drop(&x);
		}
}

static void threads_under_one_lock_agree_with_the_simulator(void **state)
{
	(void)state;
	check_simulated(8, 0.05);
}

/*
 * Who gets the lock has the core at once: it does not wait for the end of its neighbour's slice.  Where lock
 * and core have equally much to do the fluid model is short by up to a tenth.
 */
static void they_do_so_where_they_share_cores(void **state)
{
	(void)state;
	check_simulated(5, 0.1);
	check_simulated(3, 0.1);
	check_simulated(2, 0.1);
	check_simulated(1, 0.1);
}

/* Locks drawn by @seed in every phase of @x. */
static void draw_locks(struct instance *x, struct rng *rng)
{
	for (size_t p = 0; p < x->k.m.n_phases; p++)
		for (uint32_t k = 0; k < 1 + rng_below(rng, 2); k++) {
			uint32_t percent = rng_below(rng, 2) ? 100 : (uint32_t)rng_below(rng, 100);

			add_lock(&x->k.m.phases[p], k, percent,
				 3u | (uint32_t)rng_below(rng, 1u << x->k.m.phases[p].n_work));
		}
	problem_release(&x->pb);
	assert_int_equal(problem_init(&x->pb, &x->k.m, &x->m, NULL), 0);
}

static void draw_locked(struct instance *x, uint64_t seed, uint32_t phases)
{
	struct rng rng = rng_keyed(seed, 5, 5, 5);

	draw(x, seed, phases);
	draw_locks(x, &rng);
}

/* Without conflicts what the fluid model says is the least that any order of turns can take. */
static void no_order_of_turns_is_faster_than_the_fluid_model(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct rng rng = rng_keyed(seed, 6, 6, 6);
		struct instance x;
		struct design d;

		small_platform(&x.pf, 2, 1, 2, 2, CLOCK_CORE);
		small_model(&x.k, &rng, 2 + (uint32_t)(seed % 5), 0, 1);
		open_instance(&x);
		draw_locks(&x, &rng);
		design_init(&d, &x.pb);
		for (uint32_t i = 0; i < x.pb.n_slots; i++)
			d.unit[i] = (uint16_t)rng_below(&rng, x.m.n_units);
		/* Nested holds are longer together than the work: only then less is simulated. */
		if (x.k.m.phases[0].n_serial == 1)
			assert_true(simulate(&x.pb, &d).time_ns >= evaluate(&x.pb, &d).time_ns);
		design_release(&d);
		drop(&x);
	}
}

/* ---- against trying everything ---- */

static void check_phase(uint64_t seed, enum plan_objective objective)
{
	const struct exact_options opts = {.goal.objective = objective, .keep = 4, .max_work = UINT64_MAX};
	struct candidates c;
	struct scratch s;
	struct design fixed;
	struct instance x;
	struct cost best;

	draw_locked(&x, seed, 1);
	scratch_init(&s, &x.pb);
	design_init(&fixed, &x.pb);
	exact_search(&x.pb, 0, &fixed, &opts, &s, &c);
	best = brute_force(&x.pb, false, objective);
	assert_true(c.proven);
	if (x.pb.phases[0].n_heavy == x.pb.phases[0].n_members)
		assert_true(cost_primary(&c.at[0].cost, &opts.goal) == cost_primary(&best, &opts.goal));
	else
		assert_true(cost_primary(&c.at[0].cost, &opts.goal) <= cost_primary(&best, &opts.goal));
	candidates_release(&c);
	design_release(&fixed);
	scratch_release(&s);
	drop(&x);
}

static void enumeration_finds_the_brute_force_optimum_with_locks(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 80; seed++) {
		check_phase(seed, PLAN_TIME);
		check_phase(seed, PLAN_ENERGY);
	}
}

static void plans_with_locks_lie_between_bound_and_brute_force(void **state)
{
	uint32_t close = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 30; seed++) {
		const struct planner_options o = {.goal.objective = seed % 2 ? PLAN_TIME : PLAN_ENERGY,
						  .seed = seed};
		struct instance x;
		struct planner p;
		struct cost best;
		uint64_t plan, brute;

		draw_locked(&x, seed, 2);
		assert_int_equal(planner_run(&p, &x.k.m, &x.pf, &o, NULL), 0);
		best = brute_force(&x.pb, true, o.goal.objective);
		brute = cost_primary(&best, &o.goal);
		plan = cost_primary(&p.out.best_ev.total, &o.goal);
		assert_true(cost_primary(&p.out.bound, &o.goal) <= brute);
		assert_true(plan >= brute);
		/*
		 * The minimiser may give away 0.2 %.  With prices of changes the walk over the
		 * phases needs other steps of a placement than the best ones, and of placements
		 * under locks it has only these: up to 1.2 %.
		 */
		assert_true(plan <= brute + brute / 80);
		close += plan <= brute + brute / 500;
		planner_release(&p);
		drop(&x);
	}
	assert_true(close >= 28);
}

static void no_placement_is_below_the_relaxed_bound_with_locks(void **state)
{
	(void)state;
	for (uint64_t seed = 100; seed < 160; seed++) {
		struct instance x;
		struct cost relaxed, time, energy;

		draw_locked(&x, seed, 1);
		relaxed = exact_relaxed(&x.pb, 0);
		time = brute_force(&x.pb, false, PLAN_TIME);
		energy = brute_force(&x.pb, false, PLAN_ENERGY);
		assert_true(relaxed.time_ns <= time.time_ns && relaxed.energy_pj <= energy.energy_pj);
		drop(&x);
	}
}

static void a_front_with_locks_is_that_of_all_designs(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 30; seed++) {
		const struct exact_options opts = {
			.goal.objective = PLAN_ENERGY, .keep = 1, .max_work = UINT64_MAX};
		const struct goal goal = {.objective = PLAN_ENERGY};
		struct block_front found;
		struct front all;
		struct instance x;
		struct design fixed;
		struct scratch s;

		draw_locked(&x, seed, 1);
		scratch_init(&s, &x.pb);
		design_init(&fixed, &x.pb);
		front_init(&all, false);
		exact_front(&x.pb, 0, &fixed, false, &opts, &s, &found);
		brute_search(&x.pb, false, &goal, &all);
		assert_true(found.proven);
		if (x.pb.phases[0].n_heavy == x.pb.phases[0].n_members) {
			assert_int_equal(found.front.n, all.n);
			for (uint32_t i = 0; i < all.n; i++) {
				assert_int_equal(found.front.at[i].cost.time_ns, all.at[i].cost.time_ns);
				assert_int_equal(found.front.at[i].cost.energy_pj, all.at[i].cost.energy_pj);
			}
		}
		front_release(&all);
		block_front_release(&found);
		design_release(&fixed);
		scratch_release(&s);
		drop(&x);
	}
}

static void a_move_in_a_phase_with_locks_costs_what_it_costs_from_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct rng rng = rng_keyed(seed, 8, 8, 8);
		struct instance x;
		struct design d;
		struct scratch s;
		struct live l;

		draw_locked(&x, seed, 2);
		scratch_init(&s, &x.pb);
		design_init(&d, &x.pb);
		live_init(&l, &x.pb, &s);
		for (size_t i = 0; i < (size_t)x.pb.n_epochs * x.m.n_domains; i++)
			d.step[i] = (uint8_t)rng_below(&rng, x.m.n_steps);
		for (uint32_t p = 0; p < x.pb.n_phases; p++)
			live_build(&l, &d, p);
		for (int k = 0; k < 60; k++) {
			uint32_t slot = (uint32_t)rng_below(&rng, x.pb.n_slots);

			d.unit[slot] = (uint16_t)rng_below(&rng, x.m.n_units);
			for (uint32_t at = l.spot_at[slot]; at < l.spot_at[slot + 1]; at++)
				live_move(&l, l.spots[at].phase, l.spots[at].member, d.unit[slot],
					  design_steps(&x.pb, &d, l.spots[at].phase));
			for (uint32_t p = 0; p < x.pb.n_phases; p++) {
				struct phase_cost c;

				eval_phase(&x.pb, &d, p, &s, &c);
				assert_memory_equal(&c, &l.cost[p], sizeof(c));
			}
		}
		live_release(&l);
		design_release(&d);
		scratch_release(&s);
		drop(&x);
	}
}

/* ---- plans ---- */

/* Threads of 1, 1 and 2 on two units: the baseline has 3 on one of them, the best placement 2. */
static enum planner_verdict plan_three(uint32_t percent, double *gain, double *simulated)
{
	const struct planner_options o = {.goal.objective = PLAN_TIME, .seed = 1};
	enum planner_verdict verdict;
	struct instance x;
	struct planner p;

	make_stage(&x, 3, 400000000, percent);
	platform_release(&x.pf);
	small_platform(&x.pf, 1, 1, 2, 1, CLOCK_CORE);
	x.k.m.phases[0].work[2].cycles *= 2;
	if (percent)
		x.k.m.phases[0].serial[0].held[2].cycles *= 2;
	assert_int_equal(planner_run(&p, &x.k.m, &x.pf, &o, NULL), 0);
	verdict = p.out.verdict;
	*gain = p.out.gain;
	*simulated = 1 - (double)p.out.sim.cost.time_ns / (double)p.out.base_sim.cost.time_ns;
	planner_release(&p);
	machine_release(&x.m);
	problem_release(&x.pb);
	model_release(&x.k.m);
	platform_release(&x.pf);
	return verdict;
}

static void a_plan_promises_no_gain_that_a_lock_forbids(void **state)
{
	double gain, simulated;

	(void)state;
	assert_int_equal(plan_three(100, &gain, &simulated), PLANNER_NO_GAIN);
	/* Three quarters of the work: 3 of 4 are done in turn, and that is what the baseline takes. */
	assert_int_equal(plan_three(75, &gain, &simulated), PLANNER_NO_GAIN);
	(void)plan_three(60, &gain, &simulated);
	assert_true(gain < 0.21 && simulated > 0.05 && simulated < gain);
	(void)plan_three(0, &gain, &simulated);
	assert_true(gain > 0.33 && gain < 0.34);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_under_one_lock_is_done_one_after_the_other),
		cmocka_unit_test(who_holds_a_lock_for_short_is_not_held_up_for_long),
		cmocka_unit_test(a_lock_with_one_user_costs_nothing),
		cmocka_unit_test(a_model_with_locks_is_read_as_it_was_written),
		cmocka_unit_test(threads_under_one_lock_agree_with_the_simulator),
		cmocka_unit_test(they_do_so_where_they_share_cores),
		cmocka_unit_test(no_order_of_turns_is_faster_than_the_fluid_model),
		cmocka_unit_test(enumeration_finds_the_brute_force_optimum_with_locks),
		cmocka_unit_test(plans_with_locks_lie_between_bound_and_brute_force),
		cmocka_unit_test(no_placement_is_below_the_relaxed_bound_with_locks),
		cmocka_unit_test(a_front_with_locks_is_that_of_all_designs),
		cmocka_unit_test(a_move_in_a_phase_with_locks_costs_what_it_costs_from_nothing),
		cmocka_unit_test(a_plan_promises_no_gain_that_a_lock_forbids),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
