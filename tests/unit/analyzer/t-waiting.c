/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "analyzer/locks/waiting.h"
#include "lib/rng.h"

#define RUNS    6
#define THREADS 6 /* 0 and 1 share a line, 2 and 3 another one; 4 and 5 none */
#define WORK    1e8

/* Runs of two intervals each, with the threads' work in equal parts. */
struct case_ {
	struct intervals runs[RUNS];
	struct interval at[RUNS][2];
	struct part parts[RUNS][2][THREADS];
	struct waiting w;
};

static const struct model_conflict partners[] = {{.a.thread = 0, .b.thread = 1},
						 {.a.thread = 2, .b.thread = 3}};

static void make(struct case_ *c)
{
	memset(c, 0, sizeof(*c));
	for (size_t r = 0; r < RUNS; r++) {
		c->runs[r] = (struct intervals){.khz = 1000000, .at = c->at[r], .n = 2};
		for (size_t i = 0; i < 2; i++) {
			c->at[r][i] = (struct interval){.parts = c->parts[r][i], .n_parts = THREADS};
			for (uint32_t t = 0; t < THREADS; t++)
				c->parts[r][i][t] = (struct part){.instance = t, .cycles = WORK / 2};
		}
	}
	waiting_init(&c->w, RUNS, THREADS);
}

static void add(struct case_ *c, size_t run, uint32_t thread, double cycles)
{
	for (size_t i = 0; i < 2; i++)
		c->parts[run][i][thread].cycles += cycles / 2;
}

static void find(struct case_ *c, size_t conflicts)
{
	waiting_find(&c->w, c->runs, partners, conflicts);
}

static double waited(const struct case_ *c, size_t run, uint32_t thread)
{
	return c->w.waited[run * THREADS + thread];
}

static double all_waited(const struct case_ *c)
{
	double sum = 0;

	for (size_t i = 0; i < RUNS * THREADS; i++)
		sum += c->w.waited[i];
	return sum;
}

#define assert_near(x, y) assert_true((x) > (y)-1e3 && (x) < (y) + 1e3)

static void what_mates_have_in_common_is_waiting(void **state)
{
	struct case_ c;

	(void)state;
	make(&c);
	add(&c, 2, 0, 3e7);
	add(&c, 2, 1, 3e7);
	add(&c, 4, 2, 5e7);
	add(&c, 4, 3, 4.9e7);
	find(&c, 2);
	assert_near(waited(&c, 2, 0), 3e7);
	assert_near(waited(&c, 2, 1), 3e7);
	assert_near(waited(&c, 4, 2), 4.9e7);
	assert_near(all_waited(&c), 6e7 + 9.8e7);
	/* 98 ms dealt out to two cores; on many, the thread that waited most. */
	assert_near(waiting_longer_ns(&c.w, 4, 2, 1e6), 4.9e7);
	assert_near(waiting_longer_ns(&c.w, 4, 64, 1e6), 4.9e7);
	assert_near(waiting_longer_ns(&c.w, 4, 1, 1e6), 9.8e7);
	waiting_take_out(&c.w, c.runs);
	assert_near(c.parts[2][0][0].cycles, WORK / 2);
	assert_near(c.parts[2][1][1].cycles, WORK / 2);
	assert_near(c.parts[4][0][2].cycles, WORK / 2 + 0.05e7);
	waiting_release(&c.w);
}

static void what_one_side_has_alone_is_not(void **state)
{
	struct case_ c;

	(void)state;
	make(&c);
	add(&c, 2, 0, 3e7);
	add(&c, 3, 0, 6e7);
	add(&c, 3, 1, 2e7);
	/* Nobody shares anything with these. */
	add(&c, 4, 4, 3e7);
	add(&c, 4, 5, 3e7);
	find(&c, 2);
	assert_true(all_waited(&c) == 0);
	waiting_release(&c.w);
}

static void other_input_is_not_waiting(void **state)
{
	struct case_ c;

	(void)state;
	/* Everybody has more to do, or a slower core. */
	make(&c);
	for (size_t r = 0; r < RUNS; r++)
		for (uint32_t t = 0; t < THREADS; t++)
			add(&c, r, t, (double)r * 1e7);
	find(&c, 2);
	assert_true(all_waited(&c) < 1e3);
	waiting_release(&c.w);

	/* The partners alone have, and it shows in their calls. */
	make(&c);
	for (uint32_t t = 0; t < 2; t++) {
		add(&c, 2, t, 3e7);
		c.w.calls[2 * THREADS + t] = 7;
	}
	find(&c, 2);
	assert_true(all_waited(&c) == 0);
	waiting_release(&c.w);

	/* Each thread has by itself: hardly any of it happens to be alike. */
	make(&c);
	for (uint32_t r = 0; r < RUNS; r++)
		for (uint32_t t = 0; t < THREADS; t++) {
			struct rng rng = rng_keyed(7, r, t, 0);

			add(&c, r, t, (double)rng_below(&rng, 40000000));
		}
	find(&c, 2);
	assert_true(all_waited(&c) < 0.35 * RUNS * 4 * 2e7);
	waiting_release(&c.w);
}

static void more_than_the_accesses_can_cost_is_not_waiting(void **state)
{
	struct model_conflict c0 = {
		.a.thread = 0, .b.thread = 1, .a.accesses_per_kcycle = 100, .b.accesses_per_kcycle = 1};
	struct case_ c;

	(void)state;
	/* 100000 accesses of the rarer side, 400 cycles at most: 40 M. */
	for (int i = 0; i < 2; i++) {
		make(&c);
		add(&c, 2, 0, i ? 4.1e7 : 3.9e7);
		add(&c, 2, 1, i ? 4.1e7 : 3.9e7);
		waiting_find(&c.w, c.runs, &c0, 1);
		assert_near(all_waited(&c), i ? 0 : 7.8e7);
		waiting_release(&c.w);
	}
}

static void with_nothing_to_compare_with_nothing_is_said(void **state)
{
	struct case_ c;

	(void)state;
	/* One group that shares a line, and nobody beside it. */
	make(&c);
	for (size_t r = 0; r < RUNS; r++)
		for (size_t i = 0; i < 2; i++)
			c.at[r][i].n_parts = 2;
	add(&c, 2, 0, 3e7);
	add(&c, 2, 1, 3e7);
	find(&c, 1);
	assert_true(all_waited(&c) == 0);
	waiting_release(&c.w);

	/* One run. */
	make(&c);
	c.w.n_runs = 1;
	add(&c, 0, 0, 3e7);
	add(&c, 0, 1, 3e7);
	find(&c, 2);
	assert_true(all_waited(&c) == 0);
	waiting_release(&c.w);
}

static void threads_that_do_nothing_do_no_harm(void **state)
{
	struct case_ c;

	(void)state;
	make(&c);
	for (size_t r = 0; r < RUNS; r++)
		for (uint32_t t = 0; t < 4; t++)
			add(&c, r, t, -WORK);
	find(&c, 2);
	assert_true(all_waited(&c) == 0);
	waiting_take_out(&c.w, c.runs);
	assert_near(c.parts[1][0][4].cycles, WORK / 2);
	assert_near(c.parts[1][0][0].cycles, 0);
	waiting_release(&c.w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_mates_have_in_common_is_waiting),
		cmocka_unit_test(what_one_side_has_alone_is_not),
		cmocka_unit_test(other_input_is_not_waiting),
		cmocka_unit_test(more_than_the_accesses_can_cost_is_not_waiting),
		cmocka_unit_test(with_nothing_to_compare_with_nothing_is_said),
		cmocka_unit_test(threads_that_do_nothing_do_no_harm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
