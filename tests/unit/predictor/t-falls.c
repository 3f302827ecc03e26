/* SPDX-License-Identifier: MIT */
/* predictor/model: figures that fall are refused, those that grow or stay are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "predictor/model/judge.h"
#include "truth.h"

#define MOST 64

typedef double shape(double n);

static double falling(double n)
{
	return 1e6 / n;
}

/* 600 at least, at n = 1000: behind the probes; the target is beyond it. */
static double turns_behind(double n)
{
	return 0.3 * n + 3e5 / n;
}

/* ... at n = 100, among them. */
static double turns_among(double n)
{
	return n + 1e4 / n;
}

/* A share that is not divided among threads. */
static double amdahl(double n)
{
	return 20 + 980 / n;
}

static double constant(double n)
{
	(void)n;
	return 1000;
}

static double n_log_n(double n)
{
	return n * log2(n);
}

static double square_root(double n)
{
	return sqrt(n);
}

static double starts_up(double n)
{
	return 1e5 + n * n;
}

/* Judge 8 sizes from 32 to 547, twice each, at n = 4000; whether the interval holds what is there. */
static enum judge_refusal judge_shape(shape *f, double noise, uint64_t seed, bool *holds)
{
	static const char *const names[] = {"n"};
	struct rng rng = rng_keyed(seed, 4, 0, 0);
	struct growth_run runs[MOST];
	struct judge_question q = {.params = 1, .names = names, .runs = runs, .target = {4000}};
	struct judgement j;

	for (int i = 0; i < 8; i++)
		for (int k = 0; k < 2; k++) {
			double n = round(32 * pow(1.5, i));

			runs[q.n++] = (struct growth_run){{n}, f(n) * exp(noise * truth_normal(&rng))};
		}
	assert_int_equal(judge(&j, &q, NULL), 0);
	*holds = j.estimate.low <= f(4000) && f(4000) <= j.estimate.high;
	judgement_release(&j);
	return j.refusal;
}

static void what_falls_is_refused(void **state)
{
	static shape *const shapes[] = {falling, turns_behind, turns_among, amdahl};
	static const double noise[] = {0, 0.01, 0.05};

	(void)state;
	for (size_t s = 0; s < 4; s++)
		for (size_t k = 0; k < 3; k++)
			for (uint64_t seed = 0; seed < 3; seed++) {
				bool holds;
				enum judge_refusal r = judge_shape(shapes[s], noise[k], seed, &holds);

				if (r == JUDGE_NONE && !holds)
					fail_msg("shape %zu, noise %g, seed %d: wrong, and not refused", s,
						 noise[k], (int)seed);
				/* What turns among the probes may be refused by another reason. */
				if (s != 2 && r != JUDGE_FALLS)
					fail_msg("shape %zu, noise %g: %s", s, noise[k], judge_refusals[r]);
			}
}

static void what_grows_or_stays_is_not(void **state)
{
	static shape *const shapes[] = {constant, n_log_n, square_root, starts_up};
	static const double noise[] = {0, 0.01, 0.05};

	(void)state;
	for (size_t s = 0; s < 4; s++) {
		size_t held = 0, refused = 0;

		for (size_t k = 0; k < 3; k++)
			for (uint64_t seed = 0; seed < 3; seed++) {
				bool holds;
				enum judge_refusal r = judge_shape(shapes[s], noise[k], seed, &holds);

				assert_int_not_equal(r, JUDGE_FALLS);
				refused += r != JUDGE_NONE;
				held += r == JUDGE_NONE && holds;
			}
		print_message("# shape %zu: %zu of 9 are held, %zu refused\n", s, held, refused);
		assert_true(held + refused >= 8 && held >= 5);
	}
}

/* Another algorithm from n = 1500 on, as probes of counts see it: the largest two are of sizes next to each other. */
static void a_drop_is_refused_and_scatter_is_not(void **state)
{
	static const double n[] = {118, 236, 666, 1881};
	static const char *const names[] = {"n"};
	struct growth_run runs[4];
	struct judge_question q = {.params = 1, .names = names, .runs = runs, .n = 4, .target = {30000}};
	struct judgement j;
	size_t dropped = 0;

	(void)state;
	for (int i = 0; i < 4; i++)
		runs[i] = (struct growth_run){{n[i]}, i < 3 ? 20 * n[i] * n[i] : 200 * n[i]};
	assert_int_equal(judge(&j, &q, NULL), 0);
	assert_int_equal(j.refusal, JUDGE_FALLS);
	assert_non_null(strstr(j.reason, "at n=666 to 3.762e+05 at n=1881"));
	judgement_release(&j);
	/* The twin: sizes that are half as large again, and data by which each differs by 30 %. */
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct truth t = truth_square(0);
		struct growth_run made[8];
		struct growth_sizes s;
		struct growth_fall fall;

		t.scatter = 0.3;
		t.data = seed;
		growth_sizes_make(&s, 1, made, truth_probe(&t, 8, 1, 1.5, made), NULL);
		dropped += growth_falls(&s, &fall);
	}
	print_message("# data that scatter by 30 %%: %zu of 200 refused\n", dropped);
	assert_true(dropped <= 2);
}

/* 4 threads counts and a size: time falls along one parameter and grows along the other. */
static void one_parameter_of_two_falls(void **state)
{
	static const char *const names[] = {"n", "threads"};
	static const double threads[] = {1, 2, 4, 8};

	(void)state;
	for (int twin = 0; twin < 2; twin++) {
		struct growth_run runs[MOST];
		struct judge_question q = {.params = 2, .names = names, .runs = runs, .target = {4000, 64}};
		struct judgement j;

		for (int i = 0; i < 4; i++)
			for (int k = 0; k < 4; k++) {
				double n = 32 << i, y = n * n * (twin ? threads[k] : 1 / threads[k]);

				runs[q.n++] = (struct growth_run){{n, threads[k]}, y};
			}
		assert_int_equal(judge(&j, &q, NULL), 0);
		assert_int_equal(j.refusal, twin ? JUDGE_NONE : JUDGE_FALLS);
		if (!twin)
			assert_non_null(strstr(j.reason, "it falls as threads grows"));
		judgement_release(&j);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_falls_is_refused),
		cmocka_unit_test(what_grows_or_stays_is_not),
		cmocka_unit_test(a_drop_is_refused_and_scatter_is_not),
		cmocka_unit_test(one_parameter_of_two_falls),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
