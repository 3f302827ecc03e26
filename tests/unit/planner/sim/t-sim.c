/* SPDX-License-Identifier: MIT */
/* The block simulator against figures worked out by hand, the fluid model, and a clock that ticks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>

#include "lib/crc32c.h"
#include "planner/sim/sim.h"
#include "tests/unit/planner/small.h"

#define MS 1000000ull

struct bench {
	struct platform pf;
	struct machine m;
	struct maker k;
	struct problem pb;
	struct scratch s;
	struct design d;
	struct evaluation ev;
	struct blocks_writer w;
	struct strbuf file;
	struct blocks blocks;
	struct sim_options opts;
	struct sim_result r;
};

static void open_bench(struct bench *b, bool priced)
{
	assert_int_equal(machine_init(&b->m, &b->pf, NULL), 0);
	assert_int_equal(problem_init(&b->pb, &b->k.m, &b->m, NULL), 0);
	scratch_init(&b->s, &b->pb);
	design_init(&b->d, &b->pb);
	evaluation_init(&b->ev, &b->pb, priced);
	b->opts = (struct sim_options){.priced = priced};
	b->file = (struct strbuf)STRBUF_INIT;
	b->blocks = (struct blocks){0};
	blocks_write_begin(&b->w, &b->k.m);
}

static void close_bench(struct bench *b)
{
	struct strbuf rest = STRBUF_INIT;

	if (!b->file.s)
		blocks_write_end(&b->w, &rest);
	strbuf_release(&rest);
	blocks_close(&b->blocks);
	strbuf_release(&b->file);
	evaluation_release(&b->ev);
	design_release(&b->d);
	scratch_release(&b->s);
	problem_release(&b->pb);
	machine_release(&b->m);
	model_release(&b->k.m);
	platform_release(&b->pf);
}

/* One phase of @n workers with @cycles each; main has nothing to do in it. */
static void make_stage(struct bench *b, uint32_t n, double cycles)
{
	uint32_t create;

	maker_init(&b->k, "stage");
	maker_thread(&b->k, "main", MODEL_NONE, MODEL_NONE, 0);
	create = maker_site(&b->k, "main", "pthread_create", 1);
	maker_phase(&b->k, "create");
	for (uint32_t i = 0; i < n; i++)
		maker_work(&b->k, 0, maker_thread(&b->k, "w", 0, create, i), cycles)->starts = true;
}

static void place(struct bench *b, uint32_t thread, uint16_t unit)
{
	b->d.unit[b->pb.home[thread]] = unit;
}

static void use_blocks(struct bench *b)
{
	struct err err = ERR_INIT;

	blocks_write_end(&b->w, &b->file);
	if (blocks_parse(&b->blocks, b->file.s, b->file.len, "made", &b->k.m, &err))
		fail_msg("%s", err.msg);
	b->opts.blocks = &b->blocks;
}

static void simulate(struct bench *b)
{
	struct err err = ERR_INIT;

	if (sim_run(&b->pb, &b->d, &b->opts, &b->r, &err))
		fail_msg("%s", err.msg);
}

static void evaluate(struct bench *b)
{
	eval_all(&b->pb, &b->d, &b->s, &b->ev);
}

/* ---- the same as the fluid model where nobody waits and nobody fights ---- */

static void draw_design(struct bench *b, struct rng *rng)
{
	for (uint32_t i = 0; i < b->pb.n_slots; i++)
		b->d.unit[i] = (uint16_t)rng_below(rng, b->m.n_units);
	for (uint32_t i = 0; i < b->pb.n_epochs * b->m.n_domains; i++)
		b->d.step[i] = (uint8_t)rng_below(rng, b->m.n_steps);
}

static void without_blocks_it_agrees_with_the_fluid_model_to_the_pj(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct rng rng = rng_keyed(seed, 4, 4, 4);
		struct bench b;

		small_platform(&b.pf, 2, 2, 2, 2, (enum clocks)(seed % CLOCKS));
		/* A package with a core of somebody else does not halt. */
		b.pf.cores[7].usable = seed % 5 != 0;
		small_model(&b.k, &rng, 1 + (uint32_t)(seed % 7), 0, 1 + (uint32_t)(seed % 3));
		open_bench(&b, seed & 1);
		draw_design(&b, &rng);
		evaluate(&b);
		for (int always = 0; always < 2; always++) {
			b.opts.always = always;
			simulate(&b);
			assert_int_equal(b.r.cost.time_ns, b.ev.total.time_ns);
			assert_int_equal(b.r.cost.energy_pj, b.ev.total.energy_pj);
			assert_int_equal(b.r.cost.peak_mw, b.ev.total.peak_mw);
			assert_true(always ? b.r.events > 0 : b.r.events == 0);
		}
		close_bench(&b);
	}
}

static void the_gate_tests_agree_with_the_fluid_model_to_a_thousandth(void **state)
{
	struct platform pf;

	(void)state;
	assert_int_equal(platform_find(&pf, "xeon-e5320", NULL), 0);
	for (size_t i = 0; i < GATE_CASES; i++) {
		const struct planner_options o = {.goal.objective = PLAN_ENERGY, .seed = 1};
		double allowed = gate_cases[i].gate == GATE_IMGAPP ? 0.005 : 0.001, fluid, simulated;
		struct sim_options so = {.priced = true, .always = true};
		struct sim_result r;
		struct planner p;
		struct maker k;

		gate_scaled(&k, &gate_cases[i], &pf);
		assert_int_equal(planner_run(&p, &k.m, &pf, &o, NULL), 0);
		assert_int_equal(sim_run(&p.problem, &p.out.best, &so, &r, NULL), 0);
		fluid = (double)p.out.best_ev.total.energy_pj;
		simulated = (double)r.cost.energy_pj;
		assert_true(simulated > fluid * (1 - allowed) && simulated < fluid * (1 + allowed));
		planner_release(&p);
		model_release(&k.m);
	}
	platform_release(&pf);
}

/* ---- blocks ---- */

/* Two threads of 4 ms each, in two occurrences of their phase. */
static void make_two(struct bench *b, uint32_t repeats, uint16_t unit)
{
	small_platform(&b->pf, 2, 1, 1, 1, CLOCK_CORE);
	make_stage(b, 2, 8e6 / repeats);
	b->k.m.phases[0].repeats = repeats;
	open_bench(b, false);
	place(b, 2, unit);
}

static void write_pair(struct bench *b, uint64_t first, uint64_t second)
{
	blocks_write_occurrence(&b->w, 0, 2);
	blocks_write_part(&b->w, 0);
	blocks_write_block(&b->w, first);
	blocks_write_part(&b->w, 1);
	blocks_write_block(&b->w, second);
}

static void threads_that_are_late_in_turn_take_longer_than_their_means(void **state)
{
	struct bench b;

	(void)state;
	make_two(&b, 2, 1);
	write_pair(&b, 1000, 3000);
	write_pair(&b, 3000, 1000);
	use_blocks(&b);
	evaluate(&b);
	simulate(&b);
	assert_int_equal(b.ev.total.time_ns, 4 * MS);
	/* 4 ms of work each; weights of 1 and 3 are 1 and 3 ms. */
	assert_int_equal(b.r.cost.time_ns, 6 * MS);
	assert_int_equal(b.r.busy_ns, 8 * MS);
	assert_int_equal(b.r.halted_ns, 4 * MS);
	assert_int_equal(b.r.cost.energy_pj, 8 * MS * 5000 + 4 * MS * 300);
	assert_int_equal(b.r.occurrences, 2);
	assert_int_equal(b.r.blocks, 4);
	close_bench(&b);
	/* On one unit nobody waits for anybody. */
	make_two(&b, 2, 0);
	write_pair(&b, 1000, 3000);
	write_pair(&b, 3000, 1000);
	use_blocks(&b);
	simulate(&b);
	assert_int_equal(b.r.cost.time_ns, 8 * MS);
	close_bench(&b);
}

/* A row of what the thread does: >0 ms of work; 0 barrier of two; -1, -2 takes, -11, -12 gives back a lock. */
static void write_row(struct bench *b, uint32_t work, const int *row)
{
	blocks_write_part(&b->w, work);
	for (; *row != 99; row++)
		if (*row > 0)
			blocks_write_block(&b->w, (uint64_t)*row * MS);
		else if (!*row)
			blocks_write_barrier(&b->w, 0, 2);
		else
			blocks_write_lock(&b->w, (uint32_t)(-*row % 10), *row < -10);
}

static int run_rows(struct bench *b, uint16_t unit, const int *one, const int *two, struct err *err)
{
	make_two(b, 1, unit);
	blocks_write_occurrence(&b->w, 0, 2);
	write_row(b, 0, one);
	write_row(b, 1, two);
	use_blocks(b);
	return sim_run(&b->pb, &b->d, &b->opts, &b->r, err);
}

static void a_barrier_inside_a_phase_holds_the_early_thread(void **state)
{
	static const int one[] = {1, 0, 3, 99}, two[] = {3, 0, 1, 99}, plain[] = {4, 99};
	struct bench b;

	(void)state;
	assert_int_equal(run_rows(&b, 1, one, two, NULL), 0);
	assert_int_equal(b.r.cost.time_ns, 6 * MS);
	/* Each package halts while its thread waits: 1..3 ms, 4..6 ms. */
	assert_int_equal(b.r.halted_ns, 4 * MS);
	assert_int_equal(b.r.idle_ns, 0);
	assert_int_equal(b.r.barrier_ns, 2 * MS);
	assert_int_equal(b.r.lock_ns, 0);
	close_bench(&b);
	assert_int_equal(run_rows(&b, 0, one, two, NULL), 0);
	assert_int_equal(b.r.cost.time_ns, 8 * MS);
	close_bench(&b);
	assert_int_equal(run_rows(&b, 1, plain, plain, NULL), 0);
	assert_int_equal(b.r.cost.time_ns, 4 * MS);
	close_bench(&b);
}

/* A long block has had its slice when somebody else wants the core: 10 ms, then 2 ms in turns, then 20 ms. */
static void a_thread_that_wakes_has_its_turn_soon(void **state)
{
	static const int busy[] = {20, 99}, woken[] = {0, 2, 0, 99}, other[] = {10, 0, 1, 0, 20, 99};
	struct bench b;

	(void)state;
	small_platform(&b.pf, 2, 1, 1, 1, CLOCK_CORE);
	make_stage(&b, 3, 40e6);
	b.k.m.phases[0].work[1].cycles = 4000000;
	b.k.m.phases[0].work[2].cycles = 62000000;
	open_bench(&b, false);
	place(&b, 3, 1);
	blocks_write_occurrence(&b.w, 0, 3);
	write_row(&b, 0, busy);
	write_row(&b, 1, woken);
	write_row(&b, 2, other);
	use_blocks(&b);
	simulate(&b);
	assert_true(b.r.cost.time_ns > 33 * MS && b.r.cost.time_ns < 36 * MS);
	close_bench(&b);
}

static void work_under_a_lock_is_done_one_after_the_other(void **state)
{
	static const int one[] = {1, -1, 3, -11, 99}, two[] = {1, -1, 3, -11, 99},
			 other[] = {1, -2, 3, -12, 99};
	struct bench b;

	(void)state;
	assert_int_equal(run_rows(&b, 1, one, two, NULL), 0);
	assert_int_equal(b.r.cost.time_ns, 7 * MS);
	assert_int_equal(b.r.lock_ns, 3 * MS);
	assert_int_equal(b.r.barrier_ns, 0);
	close_bench(&b);
	assert_int_equal(run_rows(&b, 1, one, other, NULL), 0);
	assert_int_equal(b.r.cost.time_ns, 4 * MS);
	close_bench(&b);
}

static void blocks_that_cannot_be_run_are_refused(void **state)
{
	static const int one[] = {-1, 2, -2, 2, -12, -11, 99}, two[] = {-2, 2, -1, 2, -11, -12, 99};
	static const int foreign[] = {4, -11, 99}, plain[] = {4, 99}, alone[] = {1, 0, 3, 99};
	struct err err = ERR_INIT;
	struct bench b;

	(void)state;
	assert_int_equal(run_rows(&b, 1, one, two, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "wait for each other"));
	close_bench(&b);
	assert_int_equal(run_rows(&b, 1, foreign, plain, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "does not hold"));
	close_bench(&b);
	assert_int_equal(run_rows(&b, 1, alone, plain, &err), -EINVAL);
	close_bench(&b);
	make_two(&b, 3, 1);
	write_pair(&b, 1, 1);
	use_blocks(&b);
	assert_int_equal(sim_run(&b.pb, &b.d, &b.opts, &b.r, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "1 times, the model has it 3 times"));
	close_bench(&b);
}

static void a_thread_without_blocks_works_as_the_model_says(void **state)
{
	struct bench b;

	(void)state;
	make_two(&b, 2, 1);
	for (int i = 0; i < 2; i++) {
		blocks_write_occurrence(&b.w, 0, 1);
		blocks_write_part(&b.w, 0);
		blocks_write_block(&b.w, i ? 30 : 10);
	}
	use_blocks(&b);
	simulate(&b);
	/* 1 and 3 ms; the other one 2 ms each time. */
	assert_int_equal(b.r.cost.time_ns, 5 * MS);
	close_bench(&b);
}

static void moves_are_paid_where_the_run_has_them(void **state)
{
	struct rng rng = rng_keyed(1, 0, 0, 0);
	struct bench b;

	(void)state;
	small_platform(&b.pf, 2, 1, 1, 2, CLOCK_CORE);
	small_model(&b.k, &rng, 1, 0, 2);
	open_bench(&b, true);
	b.d.unit[b.pb.home[1 * b.pb.model->n_threads + 1]] = 1;
	b.d.step[1 * 2 + 1] = 1;
	for (uint32_t p = 0; p < 2; p++) {
		blocks_write_occurrence(&b.w, p, 1);
		blocks_write_part(&b.w, 0);
		blocks_write_block(&b.w, 5);
	}
	use_blocks(&b);
	evaluate(&b);
	simulate(&b);
	assert_int_equal(b.r.change_ns, 2 * (41100 + 61200));
	assert_int_equal(b.r.cost.time_ns, b.ev.total.time_ns);
	assert_int_equal(b.r.cost.energy_pj, b.ev.total.energy_pj);
	close_bench(&b);
}

/* ---- the judge ---- */

/*
 * A works in every round, B and C in the first: on one core they are through
 * in A's time, says the fluid model.  Run round by round nobody is.
 */
static void make_rounds(struct bench *b, bool late)
{
	small_platform(&b->pf, 2, 1, 2, 1, CLOCK_CORE);
	make_stage(b, 3, 8e8);
	b->k.m.phases[0].work[1].cycles = b->k.m.phases[0].work[2].cycles = 400000000;
	maker_work(&b->k, 0, 0, 1000)->starts = true;
	open_bench(b, true);
	blocks_write_occurrence(&b->w, 0, 3);
	for (uint32_t t = 0; t < 3; t++) {
		blocks_write_part(&b->w, t);
		for (uint32_t round = 0; round < 4; round++) {
			if (!t || !late || !round)
				blocks_write_block(&b->w, 8);
			blocks_write_barrier(&b->w, 0, 3);
		}
	}
	use_blocks(b);
}

static void plan_rounds(struct bench *b, struct planner *p, const struct blocks *blocks)
{
	const struct planner_options o = {.goal.objective = PLAN_ENERGY, .seed = 1, .blocks = blocks};
	struct err err = ERR_INIT;

	if (planner_run(p, &b->k.m, &b->pf, &o, &err))
		fail_msg("%s", err.msg);
}

static void a_gain_that_the_blocks_do_not_have_is_refused(void **state)
{
	struct planner p;
	struct bench b;

	(void)state;
	make_rounds(&b, true);
	plan_rounds(&b, &p, NULL);
	assert_int_equal(p.out.verdict, PLANNER_GAIN);
	assert_true(p.search.finalists.n > 0);
	planner_release(&p);
	plan_rounds(&b, &p, &b.blocks);
	assert_int_equal(p.out.verdict, PLANNER_SIMULATED);
	planner_release(&p);
	close_bench(&b);
	/* The same work spread over the rounds: the gain is there. */
	make_rounds(&b, false);
	plan_rounds(&b, &p, &b.blocks);
	assert_int_equal(p.out.verdict, PLANNER_GAIN);
	assert_true(p.out.sim.cost.energy_pj < p.out.base_sim.cost.energy_pj);
	planner_release(&p);
	close_bench(&b);
}

/* ---- conflicts ---- */

static void two_threads_at_a_line_pay_as_in_the_fluid_model(void **state)
{
	(void)state;
	for (uint16_t unit = 0; unit < 8; unit++) {
		struct bench b;

		small_platform(&b.pf, 2, 2, 2, 1, CLOCK_CORE);
		make_stage(&b, 2, 2e7);
		maker_conflict(&b.k, 1, 2, 10);
		open_bench(&b, false);
		place(&b, 2, unit);
		evaluate(&b);
		simulate(&b);
		assert_true(b.r.cost.time_ns + 20 >= b.ev.total.time_ns);
		assert_true(b.r.cost.time_ns <= b.ev.total.time_ns + 20);
		assert_int_equal(b.r.stalled_ns > 0, unit > 0);
		close_bench(&b);
	}
}

static void the_longer_thread_is_undisturbed_when_the_other_is_through(void **state)
{
	struct bench b;

	(void)state;
	small_platform(&b.pf, 2, 1, 1, 1, CLOCK_CORE);
	make_stage(&b, 2, 2e6);
	b.k.m.phases[0].work[1].cycles = 1000000;
	maker_conflict(&b.k, 1, 2, 10);
	open_bench(&b, false);
	place(&b, 2, 1);
	simulate(&b);
	/* Half a ms of own work each with 10 accesses a kilocycle, 24 ns apiece: 48 % slower. */
	assert_true(b.r.cost.time_ns > 1000000 + 240000 - 20 && b.r.cost.time_ns < 1000000 + 240000 + 20);
	close_bench(&b);
}

/* Partners on two units, two pairs: half of the time the partner is not there. */
static void pairs_that_take_turns_meet_half_of_the_time(void **state)
{
	struct bench b;
	double slow;

	(void)state;
	small_platform(&b.pf, 2, 1, 1, 1, CLOCK_CORE);
	make_stage(&b, 4, 2e9);
	maker_conflict(&b.k, 1, 2, 10);
	maker_conflict(&b.k, 3, 4, 10);
	open_bench(&b, false);
	for (uint32_t i = 1; i <= 4; i++)
		place(&b, i, (uint16_t)((i - 1) % 2));
	simulate(&b);
	/* 48 % slower while together; chance deals out time, so 1 / (0.5 / 1.48 + 0.5). */
	slow = (double)b.r.cost.time_ns / 2e9 - 1;
	assert_true(slow > 0.16 && slow < 0.23);
	close_bench(&b);
}

/* Then who meets whom is chance, in both models, wherever the design has them. */
static void threads_that_the_system_moves_pay_by_chance(void **state)
{
	(void)state;
	for (int moved = 0; moved < 2; moved++) {
		struct bench b;

		small_platform(&b.pf, 2, 1, 1, 1, CLOCK_CORE);
		make_stage(&b, 4, 2e8);
		maker_conflict(&b.k, 1, 2, 10);
		maker_conflict(&b.k, 3, 4, 10);
		open_bench(&b, false);
		for (uint32_t i = 1; i <= 4; i++)
			place(&b, i, (uint16_t)((i - 1) / 2));
		b.d.moved = moved;
		evaluate(&b);
		simulate(&b);
		/* Partners on one unit: set there, they never meet. */
		assert_int_equal(b.r.stalled_ns > 0, moved);
		assert_true(b.r.cost.time_ns + 1000 > b.ev.total.time_ns);
		assert_true(b.r.cost.time_ns < b.ev.total.time_ns + 1000);
		close_bench(&b);
	}
}

/* ---- a clock that ticks ---- */

#define TICK    1000ull
#define ENTRIES 12

struct row {
	int64_t at[ENTRIES]; /* ns of work; -1: the barrier of all */
	uint32_t n, now;
	int64_t left;
	uint16_t unit;
	bool waits;
};

/* Threads of a unit take turns every tick: equal slices, however long, do the same work. */
static uint64_t tick_away(struct row *rows, uint32_t n, uint32_t n_units)
{
	uint64_t ticks = 0;

	for (uint32_t over = 0; over < n; ticks++) {
		uint32_t waiting = 0;

		for (uint32_t u = 0; u < n_units; u++) {
			uint32_t runnable = 0, turn = 0;

			for (uint32_t i = 0; i < n; i++)
				runnable += rows[i].unit == u && !rows[i].waits && rows[i].now < rows[i].n;
			turn = runnable ? (uint32_t)(ticks % runnable) : 0;
			for (uint32_t i = 0; i < n && runnable; i++) {
				if (rows[i].unit != u || rows[i].waits || rows[i].now >= rows[i].n || turn--)
					continue;
				if (!rows[i].left)
					rows[i].left = rows[i].at[rows[i].now];
				rows[i].left -= rows[i].left > (int64_t)TICK ? (int64_t)TICK : rows[i].left;
				if (!rows[i].left && ++rows[i].now < rows[i].n && rows[i].at[rows[i].now] < 0)
					rows[i].waits = true;
				break;
			}
		}
		over = 0;
		for (uint32_t i = 0; i < n; i++) {
			waiting += rows[i].waits;
			over += rows[i].now >= rows[i].n;
		}
		for (uint32_t i = 0; i < n && waiting == n; i++) {
			rows[i].waits = false;
			rows[i].now++;
		}
	}
	return ticks * TICK;
}

static void draw_rows(struct bench *b, struct rng *rng, struct row *rows, uint32_t n)
{
	uint64_t sum;

	blocks_write_occurrence(&b->w, 0, n);
	for (uint32_t i = 0; i < n; i++) {
		blocks_write_part(&b->w, i);
		rows[i] = (struct row){.n = 5, .unit = (uint16_t)rng_below(rng, 3)};
		place(b, i + 1, rows[i].unit);
		sum = 0;
		for (uint32_t k = 0; k < 5; k += 2) {
			rows[i].at[k] = (int64_t)((1 + rng_below(rng, 30)) * MS);
			sum += (uint64_t)rows[i].at[k];
			/* A few blocks of which none counts alone. */
			blocks_write_block(&b->w, (uint64_t)rows[i].at[k] / 4);
			blocks_write_block(&b->w, (uint64_t)rows[i].at[k] / 4);
			blocks_write_block(&b->w, (uint64_t)rows[i].at[k] / 2);
			if (k < 4) {
				rows[i].at[k + 1] = -1;
				blocks_write_barrier(&b->w, 0, n);
			}
		}
		assert_int_equal(b->k.m.phases[0].work[i].cycles, 2 * sum);
	}
}

static void barriers_and_slices_agree_with_a_clock_that_ticks(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct rng rng = rng_keyed(seed, 8, 8, 8), again;
		struct row rows[6];
		struct bench b;
		uint64_t expected;

		small_platform(&b.pf, 2, 1, 2, 1, CLOCK_CORE);
		b.pf.slice_ns = 20000;
		make_stage(&b, 6, 1);
		/* The model has what the rows below hold, at 2 GHz. */
		again = rng;
		for (uint32_t i = 0; i < 6; i++) {
			uint64_t ms = 0;

			rng_below(&again, 3);
			for (int k = 0; k < 3; k++)
				ms += 1 + rng_below(&again, 30);
			b.k.m.phases[0].work[i].cycles = 2 * ms * MS;
		}
		open_bench(&b, false);
		draw_rows(&b, &rng, rows, 6);
		use_blocks(&b);
		simulate(&b);
		expected = tick_away(rows, 6, 3);
		assert_true(b.r.cost.time_ns > expected - expected / 200);
		assert_true(b.r.cost.time_ns < expected + expected / 200);
		close_bench(&b);
	}
}

static void the_same_blocks_give_the_same_figures(void **state)
{
	static const int one[] = {1, 0, -1, 3, -11, 99}, two[] = {2, 0, -1, 2, -11, 99};
	struct sim_result first;
	struct bench b;

	(void)state;
	assert_int_equal(run_rows(&b, 0, one, two, NULL), 0);
	first = b.r;
	simulate(&b);
	assert_memory_equal(&first, &b.r, sizeof(first));
	close_bench(&b);
}

/* ---- hostile files ---- */

/* Bytes changed at random, checksums made good: it is refused or it runs, and the books are in order. */
static void forged_blocks_are_refused_or_run(void **state)
{
	static const int one[] = {1, 0, -1, 3, -11, 1, 1, 2, 99}, two[] = {2, 0, -1, 2, -11, 3, 99};
	struct rng rng = rng_keyed(3, 3, 3, 3);
	uint32_t ran = 0, refused = 0;
	struct bench b;

	(void)state;
	assert_int_equal(run_rows(&b, 1, one, two, NULL), 0);
	for (int i = 0; i < 20000; i++) {
		struct blocks_header h;
		struct sim_options o = {.always = i & 1};
		struct blocks forged;
		struct err err = ERR_INIT;
		char copy[512];
		int ret = -EINVAL;

		assert_true(b.file.len < sizeof(copy));
		memcpy(copy, b.file.s, b.file.len);
		for (uint64_t n = 1 + rng_below(&rng, 3); n; n--)
			copy[sizeof(h) + rng_below(&rng, b.file.len - sizeof(h))] =
				(char)rng_below(&rng, 256);
		memcpy(&h, copy, sizeof(h));
		h.n_blocks += rng_below(&rng, 3) - 1;
		h.crc = crc32c(0, copy + sizeof(h), b.file.len - sizeof(h));
		h.header_crc = crc32c(0, &h, offsetof(struct blocks_header, header_crc));
		memcpy(copy, &h, sizeof(h));
		if (!blocks_parse(&forged, copy, b.file.len, "forged", &b.k.m, &err)) {
			o.blocks = &forged;
			ret = sim_run(&b.pb, &b.d, &o, &b.r, &err);
			blocks_close(&forged);
		}
		assert_true(!ret || (ret == -EINVAL && *err.msg));
		ran += !ret;
		refused += ret != 0;
	}
	assert_true(ran > 100 && refused > 100);
	close_bench(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_blocks_it_agrees_with_the_fluid_model_to_the_pj),
		cmocka_unit_test(the_gate_tests_agree_with_the_fluid_model_to_a_thousandth),
		cmocka_unit_test(threads_that_are_late_in_turn_take_longer_than_their_means),
		cmocka_unit_test(a_barrier_inside_a_phase_holds_the_early_thread),
		cmocka_unit_test(a_thread_that_wakes_has_its_turn_soon),
		cmocka_unit_test(work_under_a_lock_is_done_one_after_the_other),
		cmocka_unit_test(blocks_that_cannot_be_run_are_refused),
		cmocka_unit_test(a_thread_without_blocks_works_as_the_model_says),
		cmocka_unit_test(moves_are_paid_where_the_run_has_them),
		cmocka_unit_test(a_gain_that_the_blocks_do_not_have_is_refused),
		cmocka_unit_test(two_threads_at_a_line_pay_as_in_the_fluid_model),
		cmocka_unit_test(the_longer_thread_is_undisturbed_when_the_other_is_through),
		cmocka_unit_test(pairs_that_take_turns_meet_half_of_the_time),
		cmocka_unit_test(threads_that_the_system_moves_pay_by_chance),
		cmocka_unit_test(barriers_and_slices_agree_with_a_clock_that_ticks),
		cmocka_unit_test(the_same_blocks_give_the_same_figures),
		cmocka_unit_test(forged_blocks_are_refused_or_run),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
