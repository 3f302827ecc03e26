/* SPDX-License-Identifier: MIT */
/* The evaluator against figures worked out by hand, and against a simulator that knows nothing of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "planner/cost/meet.h"
#include "tests/unit/planner/small.h"

struct bench {
	struct platform pf;
	struct machine m;
	struct maker k;
	struct problem pb;
	struct scratch s;
	struct design d;
	struct evaluation ev;
};

static void open_bench(struct bench *b, bool priced)
{
	assert_int_equal(machine_init(&b->m, &b->pf, NULL), 0);
	assert_int_equal(problem_init(&b->pb, &b->k.m, &b->m, NULL), 0);
	scratch_init(&b->s, &b->pb);
	design_init(&b->d, &b->pb);
	evaluation_init(&b->ev, &b->pb, priced);
}

static void close_bench(struct bench *b)
{
	evaluation_release(&b->ev);
	design_release(&b->d);
	scratch_release(&b->s);
	problem_release(&b->pb);
	machine_release(&b->m);
	model_release(&b->k.m);
	platform_release(&b->pf);
}

/* Workers of one stage on an idle machine; nobody else has work. */
static void make_stage(struct bench *b, uint32_t n, double cycles, uint64_t memory_ns)
{
	uint32_t create;

	maker_init(&b->k, "stage");
	maker_thread(&b->k, "main", MODEL_NONE, MODEL_NONE, 0);
	create = maker_site(&b->k, "main", "pthread_create", 1);
	maker_phase(&b->k, "create");
	for (uint32_t i = 0; i < n; i++) {
		struct model_work *w = maker_work(&b->k, 0, maker_thread(&b->k, "w", 0, create, i), cycles);

		w->memory_ns = memory_ns;
		w->starts = true;
	}
}

static uint32_t slot_of(const struct bench *b, uint32_t thread)
{
	return b->pb.home[thread];
}

static void place(struct bench *b, uint32_t thread, uint16_t unit)
{
	b->d.unit[slot_of(b, thread)] = unit;
}

static void one_thread_takes_cycles_over_frequency_plus_memory_time(void **state)
{
	struct bench b;

	(void)state;
	small_platform(&b.pf, 1, 1, 2, 2, CLOCK_CORE);
	make_stage(&b, 1, 2e6, 500000);
	open_bench(&b, false);
	eval_all(&b.pb, &b.d, &b.s, &b.ev);
	/* 2e6 cycles at 2 GHz are 1 ms; busy 5 W and idle 1.5 W for 1.5 ms. */
	assert_int_equal(b.ev.total.time_ns, 1500000);
	assert_int_equal(b.ev.total.energy_pj, 1500000ull * 6500);
	b.d.step[0] = 1; /* 1.5 GHz, 3.5 W: memory does not get slower */
	eval_all(&b.pb, &b.d, &b.s, &b.ev);
	assert_int_equal(b.ev.total.time_ns, 1333334 + 500000);
	assert_int_equal(b.ev.total.energy_pj, 1833334ull * (3500 + 1500));
	close_bench(&b);
}

static void an_empty_package_halts_and_a_busy_one_halts_when_it_is_done(void **state)
{
	struct bench b;

	(void)state;
	small_platform(&b.pf, 2, 1, 1, 1, CLOCK_CORE);
	make_stage(&b, 2, 2e6, 0);
	b.k.m.phases[0].work[1].cycles = 1000000;
	open_bench(&b, false);
	place(&b, 2, 1);
	eval_all(&b.pb, &b.d, &b.s, &b.ev);
	assert_int_equal(b.ev.total.time_ns, 1000000);
	/* 1 ms busy; the other 0.5 ms busy and 0.5 ms halted at 0.3 W. */
	assert_int_equal(b.ev.total.energy_pj, 1000000ull * 5000 + 500000ull * 5000 + 500000ull * 300);
	assert_int_equal(eval_halt_ns(&b.pb, &b.d, &b.s, &b.ev), 500000);
	place(&b, 2, 0);
	eval_all(&b.pb, &b.d, &b.s, &b.ev);
	assert_int_equal(b.ev.total.energy_pj, 1500000ull * 5000 + 1500000ull * 300);
	close_bench(&b);
}

static void a_package_with_cores_of_others_does_not_halt(void **state)
{
	struct bench b;

	(void)state;
	small_platform(&b.pf, 2, 1, 2, 1, CLOCK_CORE);
	b.pf.cores[3].usable = false;
	make_stage(&b, 1, 2e6, 0);
	open_bench(&b, false);
	assert_int_equal(b.m.n_units, 3);
	eval_all(&b.pb, &b.d, &b.s, &b.ev);
	assert_int_equal(b.ev.total.energy_pj, 1000000ull * (5000 + 1500 + 1500));
	close_bench(&b);
}

static void hardware_threads_of_one_core_take_turns(void **state)
{
	struct bench b;

	(void)state;
	small_platform(&b.pf, 1, 1, 4, 1, CLOCK_CORE);
	b.pf.cores[1].physical = b.pf.cores[0].physical;
	b.pf.cores[3].physical = b.pf.cores[2].physical;
	make_stage(&b, 2, 2e6, 0);
	open_bench(&b, false);
	assert_int_equal(b.m.n_units, 2);
	assert_int_equal(machine_core_id(&b.m, 0, 0), 0);
	assert_int_equal(machine_core_id(&b.m, 0, 1), 2);
	assert_int_equal(machine_unit_of(&b.m, 6), 1);
	assert_int_equal(machine_unit_of(&b.m, 7), MACHINE_NONE);
	eval_all(&b.pb, &b.d, &b.s, &b.ev);
	assert_int_equal(b.ev.total.time_ns, 2000000);
	close_bench(&b);
}

/* ---- conflicts ---- */

static uint64_t conflict_time(uint16_t ua, uint16_t ub, double rate_a, double rate_b)
{
	struct bench b;
	uint64_t ns;

	small_platform(&b.pf, 2, 2, 2, 1, CLOCK_CORE);
	make_stage(&b, 2, 2e6, 0);
	maker_conflict(&b.k, 1, 2, rate_a);
	b.k.m.conflicts[0].b.accesses_per_kcycle = rate_b;
	open_bench(&b, false);
	place(&b, 1, ua);
	place(&b, 2, ub);
	eval_all(&b.pb, &b.d, &b.s, &b.ev);
	ns = b.ev.total.time_ns;
	close_bench(&b);
	return ns;
}

static void each_access_to_a_shared_line_costs_the_extra_price_of_the_distance(void **state)
{
	(void)state;
	/* 10 a kilocycle of 2e6 cycles: 20000 accesses, 8 ns more behind one cache, 16 in a package, 24 apart. */
	assert_int_equal(conflict_time(0, 1, 10, 10), 1000000 + 20000 * 8);
	assert_int_equal(conflict_time(0, 2, 10, 10), 1000000 + 20000 * 16);
	assert_int_equal(conflict_time(0, 4, 10, 10), 1000000 + 20000 * 24);
}

static void threads_on_one_core_pay_nothing_but_take_turns(void **state)
{
	(void)state;
	assert_int_equal(conflict_time(3, 3, 10, 10), 2000000);
}

static void the_slower_side_limits_how_often_a_line_is_lost(void **state)
{
	(void)state;
	assert_int_equal(conflict_time(0, 4, 10, 1), 1000000 + 2000 * 24);
	assert_int_equal(conflict_time(0, 4, 10, 0), 1000000);
}

static uint64_t spaced_time(double rate_b, double gap_a, double gap_b)
{
	struct bench b;
	uint64_t ns;

	small_platform(&b.pf, 2, 2, 2, 1, CLOCK_CORE);
	for (int kind = 0; kind < PRS_KIND_N; kind++)
		for (int g = 0; g < PRICE_GAPS; g++)
			b.pf.price[kind].extra_ps[g][DIST_REMOTE] = 3000;
	memset(b.pf.transfer_ps, 0, sizeof(b.pf.transfer_ps));
	make_stage(&b, 2, 2e6, 0);
	maker_conflict(&b.k, 1, 2, 10);
	b.k.m.conflicts[0].b.accesses_per_kcycle = rate_b;
	maker_visits(&b.k.m.conflicts[0].a, gap_a);
	maker_visits(&b.k.m.conflicts[0].b, gap_b);
	open_bench(&b, false);
	place(&b, 1, 0);
	place(&b, 2, 4);
	eval_all(&b.pb, &b.d, &b.s, &b.ev);
	ns = b.ev.total.time_ns;
	close_bench(&b);
	return ns;
}

/* 20000 accesses in 2e6 cycles of 0.5 ns: 100 cycles, 50 ns apart. */
static void other_work_between_accesses_changes_their_price(void **state)
{
	(void)state;
	assert_int_equal(spaced_time(10, 100, 100), 1000000 + 20000 * 3);
	/* One side alone known: as at full rate, 24 ns. */
	assert_int_equal(spaced_time(10, 100, 0), 1000000 + 20000 * 24);
	/* The other comes every 1000 cycles, all the time: still each of our accesses may find the line gone. */
	assert_int_equal(spaced_time(1, 100, 1000), 1000000 + 20000 * 3);
	/* The other comes every 100 cycles for a tenth of the time: so many of ours meet it. */
	assert_int_equal(spaced_time(1, 100, 100), 1000000 + 2000 * 3);
}

static void reading_on_both_sides_is_no_conflict(void **state)
{
	struct bench b;

	(void)state;
	small_platform(&b.pf, 2, 1, 1, 1, CLOCK_CORE);
	make_stage(&b, 2, 2e6, 0);
	maker_conflict(&b.k, 1, 2, 10);
	b.k.m.conflicts[0].a.kind = b.k.m.conflicts[0].b.kind = PRS_KIND_LOAD;
	open_bench(&b, false);
	assert_int_equal(b.pb.phases[0].n_conflicts, 0);
	assert_false(b.pb.unpriced);
	close_bench(&b);
}

static void conflicts_without_a_price_are_named(void **state)
{
	struct bench b;

	(void)state;
	small_platform(&b.pf, 2, 1, 1, 1, CLOCK_CORE);
	memset(b.pf.price, 0, sizeof(b.pf.price));
	make_stage(&b, 2, 2e6, 0);
	maker_conflict(&b.k, 1, 2, 10);
	open_bench(&b, false);
	assert_true(b.pb.unpriced);
	close_bench(&b);
}

static void rates_that_make_no_sense_are_bounded(void **state)
{
	(void)state;
	/* One access a cycle at most: 2e6 x 24 ns. */
	assert_int_equal(conflict_time(0, 4, 1e300, 1e300), 1000000 + 2000000ull * 24);
	assert_int_equal(conflict_time(0, 4, -5, 10), 1000000);
	assert_int_equal(conflict_time(0, 4, 0.0 / 0.0, 10), 1000000);
}

/* ---- prices of changes ---- */

static void a_change_is_paid_at_the_full_power_of_the_phase(void **state)
{
	struct bench b;
	struct rng rng = rng_keyed(1, 0, 0, 0);

	(void)state;
	small_platform(&b.pf, 2, 1, 1, 2, CLOCK_CORE);
	small_model(&b.k, &rng, 1, 0, 2);
	b.k.m.phases[0].work[0] = b.k.m.phases[1].work[0];
	b.k.m.phases[0].work[0].enter_site = MODEL_NONE;
	b.k.m.phases[0].work[0].starts = true;
	open_bench(&b, true);
	eval_all(&b.pb, &b.d, &b.s, &b.ev);
	assert_int_equal(b.pb.n_edges, 2);
	/* The start: trigger 100, affinity 1000, longest move 40000 ns. */
	assert_int_equal(b.ev.edge[0].time_ns, 41100);
	assert_int_equal(b.ev.edge[0].energy_pj, 41100ull * (5000 + 300));
	assert_int_equal(b.ev.edge[1].time_ns, 0);
	b.d.unit[b.pb.home[1 * b.pb.model->n_threads + 1]] = 1;
	b.d.step[1 * 2 + 1] = 1;
	eval_all(&b.pb, &b.d, &b.s, &b.ev);
	/* Into phase 1: a move of 40000, and one frequency change with its trigger; busy at 3.5 W. */
	assert_int_equal(b.ev.edge[1].time_ns, 41100 + 20100);
	assert_int_equal(b.ev.edge[1].energy_pj, 61200ull * (3500 + 300));
	assert_true(eval_balanced(&b.pb, &b.d, &b.s, &b.ev));
	b.ev.total.time_ns++;
	assert_false(eval_balanced(&b.pb, &b.d, &b.s, &b.ev));
	close_bench(&b);
}

/* ---- an independent simulator: round robin, slice by slice ---- */

struct sim {
	double left[16], slice;
	uint16_t unit[16];
	uint32_t n;
};

/* Length of a phase, and busy time and end of each unit, if threads take turns in slices. */
static double simulate(struct sim *x, uint32_t n_units, double *busy, double *end)
{
	double longest = 0;

	for (uint32_t u = 0; u < n_units; u++) {
		double t = 0;
		bool any = true;

		while (any) {
			any = false;
			for (uint32_t i = 0; i < x->n; i++) {
				double run = x->left[i] < x->slice ? x->left[i] : x->slice;

				if (x->unit[i] != u || run <= 0)
					continue;
				any = true;
				t += run;
				x->left[i] -= run;
			}
		}
		busy[u] = end[u] = t;
		longest = t > longest ? t : longest;
	}
	return longest;
}

static double simulated_joules(const struct bench *b, struct sim *x)
{
	double busy[16], end[16], longest = simulate(x, b->m.n_units, busy, end), joules = 0;

	for (uint32_t k = 0; k < b->m.n_packages; k++) {
		double awake = 0;

		for (uint32_t u = b->m.packages[k].first; u < b->m.packages[k].last; u++)
			awake = end[u] > awake ? end[u] : awake;
		for (uint32_t u = b->m.packages[k].first; u < b->m.packages[k].last; u++) {
			const struct platform_step *st = &b->pf.steps[b->d.step[b->m.units[u].domain]];

			joules += (double)st->busy_mw * busy[u] + (double)st->idle_mw * (awake - busy[u]);
		}
		joules += (double)b->pf.package_halt_mw * (longest - awake);
	}
	return joules;
}

static void the_fluid_model_agrees_with_a_round_robin_simulator(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct rng rng = rng_keyed(seed, 9, 9, 9);
		struct sim x = {.slice = 100000, .n = 6};
		struct bench b;
		double joules;

		small_platform(&b.pf, 2, 2, 1, 2, CLOCK_CORE);
		small_model(&b.k, &rng, 6, 0, 1);
		open_bench(&b, false);
		for (uint32_t i = 0; i < 6; i++) {
			const struct model_work *w = &b.k.m.phases[0].work[i];
			uint32_t domain;

			x.unit[i] = (uint16_t)rng_below(&rng, b.m.n_units);
			place(&b, i + 1, x.unit[i]);
			domain = b.m.units[x.unit[i]].domain;
			b.d.step[domain] = (uint8_t)(x.unit[i] % 2);
			x.left[i] = (double)w->cycles * 1e6 / b.pf.steps[b.d.step[domain]].khz +
				    (double)w->memory_ns;
		}
		eval_all(&b.pb, &b.d, &b.s, &b.ev);
		joules = simulated_joules(&b, &x);
		assert_true((double)b.ev.total.energy_pj > joules * 0.9999 &&
			    (double)b.ev.total.energy_pj < joules * 1.0001);
		assert_true(eval_balanced(&b.pb, &b.d, &b.s, &b.ev));
		close_bench(&b);
	}
}

/*
 * Two threads on each of two units; @meet: the first or second of one has a
 * line in common with the first or second of the other.  Slices of random
 * length, so that they run together as chance has it; while they do, both go
 * slower by the price of their accesses.
 */
static const bool mates[2][2] = {{true, false}, {false, true}};

static double simulated_conflicts(struct rng *rng, double work, double slow, const bool meet[2][2])
{
	double left[2][2] = {{work, work}, {work, work}}, until[2] = {0, 0}, t = 0, step = work / 2000;
	int now[2] = {0, 1};

	while (left[0][0] > 0 || left[0][1] > 0 || left[1][0] > 0 || left[1][1] > 0) {
		for (int u = 0; u < 2; u++)
			if (t >= until[u] || left[u][now[u]] <= 0) {
				now[u] = left[u][!now[u]] > 0 ? !now[u] : now[u];
				until[u] = t + step * (5 + (double)rng_below(rng, 50));
			}
		for (int u = 0; u < 2; u++) {
			bool together = meet[now[0]][now[1]] && left[0][now[0]] > 0 && left[1][now[1]] > 0;

			left[u][now[u]] -= together ? step / (1 + slow) : step;
		}
		t += step;
	}
	return t;
}

static void half_of_the_accesses_pay_if_mates_run_half_of_the_time(void **state)
{
	struct rng rng = rng_keyed(5, 5, 5, 5);
	double sum = 0;
	struct bench b;

	(void)state;
	small_platform(&b.pf, 2, 1, 1, 1, CLOCK_CORE);
	make_stage(&b, 4, 2e6, 0);
	maker_conflict(&b.k, 1, 2, 10);
	maker_conflict(&b.k, 3, 4, 10);
	open_bench(&b, false);
	for (uint32_t i = 1; i <= 4; i++)
		place(&b, i, (uint16_t)((i - 1) % 2));
	eval_all(&b.pb, &b.d, &b.s, &b.ev);
	/*
	 * 20000 accesses of 24 ns on 1 ms of work: 48 % slower while the partner runs.
	 * That is half of the time, in which fewer than half of the accesses are made.
	 */
	assert_int_equal(b.ev.total.time_ns, 2 * (1000000 + 10000 * 24 * 2000 / 2480));
	for (int i = 0; i < 40; i++)
		sum += simulated_conflicts(&rng, 1000000, 0.48, mates) / 40;
	assert_true(sum > 0.98 * (double)b.ev.total.time_ns && sum < 1.02 * (double)b.ev.total.time_ns);
	close_bench(&b);
}

/* The same where an access to the line takes ten times its gap: the partners hold one another up nearly for good. */
static void a_thread_that_is_held_up_makes_fewer_accesses(void **state)
{
	struct rng rng = rng_keyed(6, 5, 5, 5);
	double sum = 0, slow = 9.6;
	struct bench b;

	(void)state;
	small_platform(&b.pf, 2, 1, 1, 1, CLOCK_CORE);
	make_stage(&b, 4, 2e6, 0);
	maker_conflict(&b.k, 1, 2, 200);
	maker_conflict(&b.k, 3, 4, 200);
	open_bench(&b, false);
	for (uint32_t i = 1; i <= 4; i++)
		place(&b, i, (uint16_t)((i - 1) % 2));
	eval_all(&b.pb, &b.d, &b.s, &b.ev);
	for (int i = 0; i < 40; i++)
		sum += simulated_conflicts(&rng, 1000000, slow, mates) / 40;
	assert_true(sum > 0.95 * (double)b.ev.total.time_ns && sum < 1.05 * (double)b.ev.total.time_ns);
	/* Moved by the system it is a third of the time: one of three others is the partner. */
	b.d.moved = true;
	eval_all(&b.pb, &b.d, &b.s, &b.ev);
	assert_int_equal(b.ev.total.time_ns / 1000, (uint64_t)(2000 / (1 - (1 - 1 / (1 + slow)) / 3)));
	close_bench(&b);
}

/* Each thread of one unit meets each of the other: whoever has the turn there, it is held up. */
static void a_thread_is_held_up_by_whoever_has_the_turn(void **state)
{
	static const bool all[2][2] = {{true, true}, {true, true}},
			  but_one[2][2] = {{true, true}, {true, false}};
	static const uint64_t rates[] = {10, 100, 200};

	(void)state;
	for (size_t r = 0; r < sizeof(rates) / sizeof(rates[0]); r++)
		for (int missing = 0; missing < 2; missing++) {
			struct rng rng = rng_keyed(7, 5, r, 5);
			double sum = 0, slow = 0.048 * (double)rates[r];
			struct bench b;

			small_platform(&b.pf, 2, 1, 1, 1, CLOCK_CORE);
			make_stage(&b, 4, 2e6, 0);
			for (uint32_t i = 1; i <= 4; i++)
				maker_conflict(&b.k, i, i % 4 + 1, (double)rates[r]);
			b.k.m.n_conflicts -= (size_t)missing;
			open_bench(&b, false);
			for (uint32_t i = 1; i <= 4; i++)
				place(&b, i, (uint16_t)((i - 1) % 2));
			eval_all(&b.pb, &b.d, &b.s, &b.ev);
			for (int i = 0; i < 40; i++)
				sum += simulated_conflicts(&rng, 1000000, slow, missing ? but_one : all) / 40;
			print_message("%d missing, %.2f slower: %.0f simulated, %.0f\n", missing, slow, sum,
				      (double)b.ev.total.time_ns);
			assert_true(sum > 0.95 * (double)b.ev.total.time_ns &&
				    sum < 1.05 * (double)b.ev.total.time_ns);
			close_bench(&b);
		}
}

/* A bound that is above what it bounds by 1 ns would refuse the plan. */
static void the_least_is_never_above_what_it_is_the_least_of(void **state)
{
	struct rng rng = rng_keyed(8, 8, 8, 8);

	(void)state;
	for (int i = 0; i < 200000; i++) {
		uint64_t accesses = rng_below(&rng, 1u << (1 + i % 30)),
			 extra = rng_below(&rng, 1u << (1 + i % 25));
		uint64_t span = rng_below(&rng, 1u << (1 + i % 17)),
			 of = 1 + rng_below(&rng, 1u << (1 + i % 29));
		uint64_t part = rng_below(&rng, of + 1), more = part + rng_below(&rng, of - part + 1);
		uint64_t less = more + rng_below(&rng, of - more + 1);

		uint64_t slower = span ? extra * 1000 / span : 0, lost = rng_below(&rng, MEET_ALL);
		struct meet_turn least = {slower, part, of}, turn = {slower, more, less};
		struct meet_share none = {0, 0}, others = {lost + rng_below(&rng, MEET_ALL), lost};
		uint64_t n = accesses + (uint64_t)(i % 2),
			 alone = meet_held_up_beside(n, extra, &turn, &none);

		assert_true(meet_held_up_least(accesses, extra, &least) <= alone);
		assert_true(alone <= meet_held_up_beside(n, extra, &turn, &others));
	}
}

static uint64_t time_with_gap(double gap, uint64_t alone_ps)
{
	struct bench b;
	uint64_t ns;

	small_platform(&b.pf, 2, 2, 2, 1, CLOCK_CORE);
	for (int kind = 0; kind < PRS_KIND_N; kind++) {
		b.pf.price[kind].alone_ps = alone_ps;
		for (int d = 0; d < DIST_N; d++)
			b.pf.price[kind].shared_ps[d] = b.pf.price[kind].shared_ps[d] ? alone_ps + 30000 : 0;
		for (int g = 0; g < PRICE_GAPS; g++)
			b.pf.price[kind].extra_ps[g][DIST_REMOTE] = 30000;
	}
	make_stage(&b, 2, 2e6, 0);
	maker_conflict(&b.k, 1, 2, 100);
	maker_visits(&b.k.m.conflicts[0].a, gap);
	maker_visits(&b.k.m.conflicts[0].b, gap);
	open_bench(&b, false);
	place(&b, 1, 0);
	place(&b, 2, 4);
	eval_all(&b.pb, &b.d, &b.s, &b.ev);
	ns = b.ev.total.time_ns;
	close_bench(&b);
	return ns;
}

static void an_access_takes_at_least_its_time_alone(void **state)
{
	(void)state;
	/* An access every 5 ns of 1 ms, 30 ns more each. */
	assert_int_equal(time_with_gap(10, 5000), 1000000 + 200000 * 30);
	/* Where each takes 10 ns alone no more than half as many fit in. */
	assert_int_equal(time_with_gap(10, 10000), 1000000 + 100000 * 30);
	assert_int_equal(time_with_gap(10, 2000), 1000000 + 200000 * 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread_takes_cycles_over_frequency_plus_memory_time),
		cmocka_unit_test(an_empty_package_halts_and_a_busy_one_halts_when_it_is_done),
		cmocka_unit_test(a_package_with_cores_of_others_does_not_halt),
		cmocka_unit_test(hardware_threads_of_one_core_take_turns),
		cmocka_unit_test(each_access_to_a_shared_line_costs_the_extra_price_of_the_distance),
		cmocka_unit_test(threads_on_one_core_pay_nothing_but_take_turns),
		cmocka_unit_test(the_slower_side_limits_how_often_a_line_is_lost),
		cmocka_unit_test(other_work_between_accesses_changes_their_price),
		cmocka_unit_test(reading_on_both_sides_is_no_conflict),
		cmocka_unit_test(conflicts_without_a_price_are_named),
		cmocka_unit_test(rates_that_make_no_sense_are_bounded),
		cmocka_unit_test(a_change_is_paid_at_the_full_power_of_the_phase),
		cmocka_unit_test(the_fluid_model_agrees_with_a_round_robin_simulator),
		cmocka_unit_test(half_of_the_accesses_pay_if_mates_run_half_of_the_time),
		cmocka_unit_test(a_thread_that_is_held_up_makes_fewer_accesses),
		cmocka_unit_test(a_thread_is_held_up_by_whoever_has_the_turn),
		cmocka_unit_test(the_least_is_never_above_what_it_is_the_least_of),
		cmocka_unit_test(an_access_takes_at_least_its_time_alone),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
