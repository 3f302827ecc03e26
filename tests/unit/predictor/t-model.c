/* SPDX-License-Identifier: MIT */
/* predictor/model: generated truths are found, and intervals hold what they say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "lib/stats.h"
#include "truth.h"

#define SIZES 7
#define EACH  3

/* What is said of n = @target after probes of @t, and whether one more run lies in it. */
static struct growth_estimate say(struct truth *t, double target, bool *holds)
{
	struct growth_run runs[SIZES * EACH];
	double x[GROWTH_PARAMS] = {target};
	struct growth_estimate e;
	struct growth_sizes s;
	struct growth_fit f;
	double y;

	assert_int_equal(growth_sizes_make(&s, 1, runs, truth_probe(t, SIZES, EACH, 1.5, runs), NULL), 0);
	assert_int_equal(growth_fit(&f, &s, x, GROWTH_ANY, NULL), 0);
	e = growth_estimate(&f, x, 0);
	y = truth_run(t, target);
	*holds = y >= e.low && y <= e.high;
	growth_fit_release(&f);
	return e;
}

/* @count made-up tasks, the target four times the largest probe's size: what the interval held, in percent. */
static double coverage(double noise, double scatter, size_t count, double *median, double *width)
{
	double *off = mem_new(count, sizeof(*off)), *wide = mem_new(count, sizeof(*wide));
	size_t held = 0;

	for (size_t i = 0; i < count; i++) {
		struct truth t = truth_make(i, noise);
		struct growth_estimate e;
		bool holds;

		t.scatter = scatter;
		t.data = i;
		e = say(&t, 1458, &holds);
		held += holds;
		off[i] = fabs(e.middle / truth_exact(&t, 1458) - 1);
		wide[i] = e.high / e.low;
	}
	*median = stats_median(off, count);
	*width = stats_median(wide, count);
	free(off);
	free(wide);
	return 100.0 * (double)held / (double)count;
}

/* What a test of a test may want: 85 of 100 are held by an interval of 90. */
static void intervals_hold_what_they_say(void **state)
{
	static const double noise[] = {0.01, 0.03, 0.1}, most[] = {0.03, 0.08, 0.25};
	double all = 0;

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		double median, width, held = coverage(noise[k], 0, 80, &median, &width);

		all += held / 3;
		print_message("# noise %.0f %%: 90 %% interval holds %.1f %% of 80, median error %.2f %%, "
			      "width %.3f\n",
			      100 * noise[k], held, 100 * median, width);
		if (held < 80 || median > most[k])
			fail_msg("noise %g: %g %% are held, median error %g", noise[k], held, median);
	}
	print_message("# all: %.1f %% of 240\n", all);
	assert_true(all >= 85);
}

/* Counts that repeat exactly and differ by the data of each size: the spread of sizes is what has to be seen. */
static void scatter_of_data_is_no_noise(void **state)
{
	static const double scatter[] = {0.02, 0.08, 0.2};
	double all = 0, widths[3];

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		double median, held = coverage(0, scatter[k], 80, &median, &widths[k]);

		all += held / 3;
		print_message("# data scatter %.0f %%: 90 %% interval holds %.1f %% of 80, median error %.2f "
			      "%%, width %.3f\n",
			      100 * scatter[k], held, 100 * median, widths[k]);
		assert_true(held >= 80);
	}
	print_message("# all: %.1f %% of 240\n", all);
	assert_true(all >= 85);
	assert_true(widths[0] < widths[1] && widths[1] < widths[2]);
}

static void exact_figures_are_found(void **state)
{
	struct growth_run runs[SIZES];
	double x[GROWTH_PARAMS] = {2048};
	const char *const names[] = {"n"};
	struct strbuf words = STRBUF_INIT;
	struct growth_sizes s;
	struct growth_fit f;

	(void)state;
	for (int i = 0; i < SIZES; i++)
		runs[i] = (struct growth_run){{pow(2, i + 2)}, 0};
	for (int i = 0; i < SIZES; i++)
		runs[i].y = 3 * runs[i].x[0] * runs[i].x[0] * log2(runs[i].x[0]);
	assert_int_equal(growth_sizes_make(&s, 1, runs, SIZES, NULL), 0);
	assert_int_equal(growth_fit(&f, &s, x, GROWTH_ANY, NULL), 0);
	growth_words(&f.models.at[0], 1, names, &words);
	assert_string_equal(words.s, "3 n^2 log2(n)");
	assert_true(fabs(growth_estimate(&f, x, 0).middle / (3 * 2048.0 * 2048 * 11) - 1) < 0.01);
	assert_true(fabs(growth_slope(&f, x, 0) - 2.13) < 0.02);
	strbuf_release(&words);
	growth_fit_release(&f);
}

/* The inside of a grid, (n - 2)^2: terms may be taken away. */
static void a_border_is_subtracted(void **state)
{
	struct growth_run runs[6];
	double x[GROWTH_PARAMS] = {1024};
	struct growth_estimate e;
	struct growth_sizes s;
	struct growth_fit f;

	(void)state;
	for (int i = 0; i < 6; i++) {
		double n = floor(8 * pow(1.7, i));

		runs[i] = (struct growth_run){{n}, (n - 2) * (n - 2)};
	}
	assert_int_equal(growth_sizes_make(&s, 1, runs, 6, NULL), 0);
	assert_int_equal(growth_fit(&f, &s, x, GROWTH_ANY, NULL), 0);
	e = growth_estimate(&f, x, 0);
	assert_true(fabs(e.middle / (1022.0 * 1022) - 1) < 0.02);
	growth_fit_release(&f);
}

/* y = 2 n^2 m + 30 n log n, sizes of both in a grid. */
static void two_parameters_have_products(void **state)
{
	struct rng rng = rng_keyed(3, 0, 0, 0);
	struct growth_run runs[32];
	double x[GROWTH_PARAMS] = {512, 100};
	struct growth_estimate e;
	struct growth_sizes s;
	struct growth_fit f;
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 4; k++) {
			double a = 8 << i, b = 4 + 5 * k;

			for (int r = 0; r < 2; r++)
				runs[n++] = (struct growth_run){{a, b},
								(2 * a * a * b + 30 * a * log2(a)) *
									exp(0.02 * truth_normal(&rng))};
		}
	assert_int_equal(growth_sizes_make(&s, 2, runs, n, NULL), 0);
	assert_int_equal(growth_fit(&f, &s, x, GROWTH_ANY, NULL), 0);
	e = growth_estimate(&f, x, 0);
	assert_true(fabs(e.middle / (2 * 512.0 * 512 * 100 + 30 * 512 * 9) - 1) < 0.1);
	assert_true(e.low < e.middle && e.middle < e.high && e.high < 2 * e.low);
	growth_fit_release(&f);
}

static void a_constant_is_no_growth(void **state)
{
	struct rng rng = rng_keyed(9, 0, 0, 0);
	struct growth_run runs[14];
	double x[GROWTH_PARAMS] = {4096};
	struct growth_estimate e;
	struct growth_sizes s;
	struct growth_fit f;

	(void)state;
	for (int i = 0; i < 14; i++)
		runs[i] = (struct growth_run){{16 << i / 2}, 5 * exp(0.02 * truth_normal(&rng))};
	assert_int_equal(growth_sizes_make(&s, 1, runs, 14, NULL), 0);
	assert_int_equal(growth_fit(&f, &s, x, GROWTH_ANY, NULL), 0);
	e = growth_estimate(&f, x, 0);
	if (e.high >= 10)
		print_message("# %g %g %g\n", e.low, e.middle, e.high);
	assert_true(e.low < 5 && e.high > 5 && e.high < 10);
	growth_fit_release(&f);
}

static void more_noise_is_a_wider_interval(void **state)
{
	double width[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct truth t = truth_make(1, i ? 0.08 : 0.01);
		bool holds;
		struct growth_estimate e = say(&t, 1458, &holds);

		width[i] = e.high / e.low;
	}
	assert_true(width[1] > 1.3 * width[0]);
}

static void what_nobody_can_measure_is_refused(void **state)
{
	static const struct growth_run bad[] = {{{0}, 1},  {{INFINITY}, 1}, {{NAN}, 1},     {{4}, 0},
						{{4}, -1}, {{4}, NAN},      {{4}, INFINITY}};
	struct growth_run run = {{2}, 1};
	double x[GROWTH_PARAMS] = {64};
	struct err err = ERR_INIT;
	struct growth_sizes s;
	struct growth_fit f;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(growth_sizes_make(&s, 1, &bad[i], 1, &err), -EINVAL);
	assert_int_equal(growth_sizes_make(&s, 1, &run, 1, &err), 0);
	assert_int_equal(growth_fit(&f, &s, x, GROWTH_ANY, &err), -ENODATA);
	growth_fit_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_hold_what_they_say),
		cmocka_unit_test(scatter_of_data_is_no_noise),
		cmocka_unit_test(exact_figures_are_found),
		cmocka_unit_test(a_border_is_subtracted),
		cmocka_unit_test(two_parameters_have_products),
		cmocka_unit_test(a_constant_is_no_growth),
		cmocka_unit_test(more_noise_is_a_wider_interval),
		cmocka_unit_test(what_nobody_can_measure_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
