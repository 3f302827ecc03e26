/* SPDX-License-Identifier: MIT */
/* predictor/probe/want: what finished tasks run for the next ones costs what it may, and ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "lib/rng.h"
#include "predictor/probe/finished.h"

#define TARGET 1e5
#define BUDGET 0.05

static char count[] = "count", name[] = "n";
static struct task task = {.params = 1, .name = {name}, .count = count};
static const struct next_plan plan = {1, {100}, {TARGET}, BUDGET, 1, 0};

/* A run of n @hard: a count, and the time by it. */
static void run(struct probes *p, double n, double hard)
{
	vec_push(p, ((struct probe){.end = PROBE_OK,
				    .x = {n},
				    .count = hard * n,
				    .figure = hard * n * 1e-8,
				    .seconds = 1}));
}

/* All that is wanted of a task @hard is run; how much that costs of the whole. */
static double wanted(const struct finished *f, struct probes *p, double hard)
{
	double x[GROWTH_PARAMS], cost = 0;

	for (size_t n = 0; finished_want(f, &task, p, &plan, x); n++) {
		assert_true(n < NEXT_LADDER);
		assert_true(x[0] >= 100 && x[0] < TARGET);
		assert_true(finished_mean(f, p, x, true) <= 0);
		run(p, x[0], hard * (x[0] > 4000 ? 1.3 : 1));
		cost += p->at[p->n - 1].count / (hard * TARGET);
	}
	return cost;
}

static struct probes ladder(double hard)
{
	struct probes p = VEC_INIT;
	double x[GROWTH_PARAMS];

	for (size_t step = 0; step <= 16; step += 4) {
		next_ladder(&plan, step, x);
		run(&p, x[0], hard);
	}
	return p;
}

static void test_first(void **state)
{
	struct finished f = {.sizes = 1, .target = {TARGET}};
	struct probes p = ladder(1);
	double x[GROWTH_PARAMS], cost, largest = 0;

	(void)state;
	assert_false(finished_want(&f, &task, &p, &plan, x));
	run(&p, TARGET, 1);
	cost = wanted(&f, &p, 1);
	for (size_t i = 0; i < p.n; i++)
		largest = fmax(largest, p.at[i].x[0] < TARGET ? p.at[i].count : 0);
	print_message("# the first: %.1f %% in all, the largest %.2f %%\n", 100 * cost,
		      100 * largest / TARGET);
	assert_true(largest > 0.7 * BUDGET * TARGET && largest <= 1.3 * BUDGET * TARGET);
	assert_true(cost <= 3.9 * BUDGET);
	vec_release(&p);
}

/* Tasks that differ by a factor of 9 and scatter get sizes in common, by which the next one is foretold within the budget. */
static void test_common(void **state)
{
	struct finished f = {.sizes = 1, .target = {TARGET}};
	struct finished_choice c;
	struct rng r = rng_keyed(3, 0, 0, 0);

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		double hard = exp(2.2 * rng_unit(&r)), whole = hard * exp(0.8 * rng_unit(&r) - 0.4);
		struct finished_task one = {ladder(hard), whole * TARGET * 1e-8};

		run(&one.probes, TARGET, whole);
		wanted(&f, &one.probes, hard);
		vec_push(&f.tasks, one);
	}
	assert_true(finished_choose(&f, &task, BUDGET, &c));
	print_message("# chosen: n=%g, %zu tasks, %.2f %%\n", c.x[0], c.tasks, 100 * c.share);
	assert_true(c.tasks >= HISTORY_LEAST);
	assert_true(c.share <= BUDGET && c.share > BUDGET / 2.1);
	finished_release(&f);
}

/* The twin: a size that costs more than the budget is wanted by nobody, also if all tasks have it. */
static void test_dear(void **state)
{
	struct finished f = {.sizes = 1, .target = {TARGET}};
	struct probes p = ladder(1);
	double x[GROWTH_PARAMS];

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		struct finished_task one = {ladder(1), TARGET * 1e-8};

		run(&one.probes, TARGET, 1);
		run(&one.probes, TARGET / 8, 1);
		vec_push(&f.tasks, one);
	}
	run(&p, TARGET, 1);
	while (finished_want(&f, &task, &p, &plan, x)) {
		assert_true(x[0] < TARGET / 8);
		run(&p, x[0], 1);
	}
	vec_release(&p);
	finished_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_common),
		cmocka_unit_test(test_dear),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
