/* SPDX-License-Identifier: MIT */
/* predictor/probe/next: probes stay within their budget, and tell what is asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "predictor/probe/next.h"
#include "truth.h"

struct session {
	struct growth_run runs[128];
	size_t n;
	double spent, largest;
	enum next_end end;
};

/* Probe @t for n = 4096 until nothing is left to do. */
static struct session probe(struct truth *t, double from, double share)
{
	struct next_plan plan = {1, {from}, {4096}, share, 0, 0};
	struct session s = {.n = 0};

	while (s.n < 128) {
		struct next_state state = {.runs = s.runs, .n = s.n, .spent = s.spent};
		double x[GROWTH_PARAMS], y;

		s.end = next_probe(&plan, &state, x);
		if (s.end != NEXT_PROBE)
			return s;
		assert_true(x[0] >= from && x[0] < 4096 && x[0] == floor(x[0]));
		y = truth_run(t, x[0]);
		s.runs[s.n++] = (struct growth_run){{x[0]}, y};
		s.spent += y;
		s.largest = fmax(s.largest, x[0]);
	}
	return s;
}

static void the_budget_is_kept(void **state)
{
	double worst = 0, least = 1;
	size_t few = 0;

	(void)state;
	for (uint64_t i = 0; i < 12; i++) {
		struct truth t = truth_make(i, 0.03);
		struct session s;
		struct growth_sizes sizes;
		double part;

		t.term[0].a[0] = fmax(t.term[0].a[0], 1);
		t.constant /= 100;
		t.c[0] = 1 / (pow(256, t.term[0].a[0]) * pow(8, t.term[0].b[0]));
		s = probe(&t, 4, 0.05);
		part = s.spent / truth_exact(&t, 4096);
		worst = fmax(worst, part);
		least = fmin(least, part);
		assert_int_equal(growth_sizes_make(&sizes, 1, s.runs, s.n, NULL), 0);
		few += sizes.n < GROWTH_LEAST;
		assert_true(s.n < 128);
	}
	print_message("# 12 tasks: probes take %.2f to %.2f %% of the target, budget 5 %%; %zu with too few "
		      "sizes\n",
		      100 * least, 100 * worst, few);
	assert_true(worst <= 0.06);
	assert_true(few <= 1);
}

static void a_cubic_task_is_probed_far(void **state)
{
	struct truth t = {.terms = 1,
			  .term = {{{3}, {0}}},
			  .c = {1e-6},
			  .noise = 0.02,
			  .from = INFINITY,
			  .rise = 1,
			  .rng = rng_keyed(5, 0, 0, 0)};
	struct session s = probe(&t, 64, 0.05);

	(void)state;
	assert_true(s.largest >= 512);
	assert_true(s.spent <= 0.05 * truth_exact(&t, 4096) * 1.1);
}

static void the_same_runs_give_the_same_question(void **state)
{
	struct truth a = truth_make(7, 0.05), b = truth_make(7, 0.05);
	struct session s = probe(&a, 8, 0.05), t = probe(&b, 8, 0.05);

	(void)state;
	assert_int_equal(s.n, t.n);
	assert_memory_equal(s.runs, t.runs, s.n * sizeof(s.runs[0]));
}

/* Nothing can be paid for: no probe, not an endless loop. */
static void a_small_budget_ends_early(void **state)
{
	struct truth t = truth_make(3, 0.02);
	struct session s = probe(&t, 2048, 0.001);

	(void)state;
	assert_int_equal(s.end, NEXT_SPENT);
	assert_true(s.n <= 4);
}

/* Counts are alike at each run: one size is run twice to see it, no other one is. */
static void what_is_exact_is_not_run_again(void **state)
{
	struct truth exact = truth_square(0), noisy = truth_square(0.05);
	struct growth_sizes sizes;
	struct session s = probe(&exact, 16, 0.05);

	(void)state;
	assert_int_equal(growth_sizes_make(&sizes, 1, s.runs, s.n, NULL), 0);
	assert_true(sizes.spare <= 1);
	s = probe(&noisy, 16, 0.05);
	assert_int_equal(growth_sizes_make(&sizes, 1, s.runs, s.n, NULL), 0);
	assert_true(sizes.spare > 3);
}

/* Times of 3 ms and 2 ns a count: a start is 1.5 million counts. */
static void what_a_start_costs(void **state)
{
	static const double count[] = {1e4, 1e5, 1e6, 1e7}, falls[] = {4, 3, 2, 1};
	double time[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		time[i] = 3e-3 + 2e-9 * count[i];
	assert_true(fabs(next_start(count, time, 4) / 1.5e6 - 1) < 1e-6);
	assert_true(next_start(count, time, 1) == 0);
	assert_true(next_start(count, falls, 4) == 0);
	for (int i = 0; i < 4; i++)
		time[i] = 2e-9 * count[i];
	assert_true(next_start(count, time, 4) < 1e-3);
}

/*
 * A cubic task that prints exact counts, of 10 ms and 1 ns a count, which a run varies by 5 %.  The counts are known
 * from a few cheap sizes; what is left of the budget has to go to sizes that cost more than their start.
 */
static void times_of_counts_are_asked_for(void **state)
{
	struct next_plan plan = {1, {16}, {1500}, 0.05, 0, 0};
	struct growth_run runs[128];
	double time[128], count[128], spent = 0, x[GROWTH_PARAMS], most = 0;
	struct rng rng = rng_keyed(7, 0, 0, 0);
	size_t n = 0, starts = 0;

	(void)state;
	for (; n < 128; n++) {
		struct next_state st = {.runs = runs, .n = n, .time = time};

		plan.start = next_start(count, time, n);
		st.spent = spent + plan.start * (double)n;
		if (next_probe(&plan, &st, x) != NEXT_PROBE)
			break;
		count[n] = x[0] * x[0] * x[0] - 4 * x[0] * x[0] + 40;
		runs[n] = (struct growth_run){{x[0]}, count[n]};
		time[n] = (1e-2 + 1e-9 * count[n]) * exp(0.05 * truth_normal(&rng));
		spent += count[n];
		starts += count[n] < 2e6;
		most = fmax(most, count[n]);
	}
	print_message("# %zu probes, %zu of them hardly more than a start, the largest %.2g counts\n", n,
		      starts, most);
	assert_in_range(n, 5, 30);
	assert_true(starts <= 6);
	assert_true(most >= 2e7);
}

static void two_parameters_vary_alone_and_together(void **state)
{
	struct next_plan plan = {2, {4, 2}, {512, 64}, 0.05, 0, 0};
	struct growth_run runs[128];
	size_t n = 0, first = 0, second = 0, both = 0;
	double spent = 0, x[GROWTH_PARAMS];

	(void)state;
	while (n < 128) {
		struct next_state st = {.runs = runs, .n = n, .spent = spent};

		if (next_probe(&plan, &st, x) != NEXT_PROBE)
			break;
		runs[n] = (struct growth_run){{x[0], x[1]}, x[0] * x[0] * x[1] + 10};
		spent += runs[n++].y;
		first += x[0] > 4 && x[1] == 2;
		second += x[0] == 4 && x[1] > 2;
		both += x[0] > 4 && x[1] > 2;
	}
	assert_true(first >= 2 && second >= 2 && both >= 1);
	assert_true(spent <= 0.055 * (512.0 * 512 * 64));
	assert_true(n < 128);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_budget_is_kept),
		cmocka_unit_test(a_cubic_task_is_probed_far),
		cmocka_unit_test(the_same_runs_give_the_same_question),
		cmocka_unit_test(a_small_budget_ends_early),
		cmocka_unit_test(what_is_exact_is_not_run_again),
		cmocka_unit_test(what_a_start_costs),
		cmocka_unit_test(times_of_counts_are_asked_for),
		cmocka_unit_test(two_parameters_vary_alone_and_together),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
