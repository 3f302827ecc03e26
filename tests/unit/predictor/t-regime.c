/* SPDX-License-Identifier: MIT */
/* predictor/model/judge: what changes between sizes is refused, and its twin is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "predictor/model/judge.h"
#include "truth.h"

#define MOST 64

static const char *const names[] = {"n"};

struct made {
	struct growth_run runs[MOST];
	double value[MOST], count[MOST];
	size_t n;
	struct judge_watch watch;
	struct judge_question q;
};

/* Probes of @t at @sizes sizes, @each times, and a question about n = @target. */
static void make(struct made *m, struct truth *t, size_t sizes, size_t each, double target)
{
	memset(m, 0, sizeof(*m));
	m->n = truth_probe(t, sizes, each, 1.5, m->runs);
	m->q = (struct judge_question){
		.params = 1, .names = names, .runs = m->runs, .n = m->n, .target = {target}};
}

static void watch(struct made *m, enum judge_kind kind, double limit)
{
	m->watch = (struct judge_watch){kind, "beside", limit, m->value};
	m->q.watch = &m->watch;
	m->q.watches = 1;
}

static enum judge_refusal ask(const struct made *m, struct judgement *j)
{
	assert_int_equal(judge(j, &m->q, NULL), 0);
	return j->refusal;
}

/* Expect @what; the reason is printed where it is another one. */
static void expect(const struct made *m, enum judge_refusal what)
{
	struct judgement j;

	if (ask(m, &j) != what)
		fail_msg("%s, not %s: %s", judge_refusals[j.refusal], judge_refusals[what], j.reason);
	assert_true((what == JUDGE_NONE) == !j.reason[0]);
	judgement_release(&j);
}

static void a_plain_task_is_predicted(void **state)
{
	struct truth t = truth_make(1, 0.02);
	struct made m;
	struct judgement j;

	(void)state;
	make(&m, &t, 7, 3, 1458);
	assert_int_equal(ask(&m, &j), JUDGE_NONE);
	assert_int_equal(j.sizes, 7);
	assert_int_equal(j.runs, 21);
	assert_true(j.estimate.low < truth_exact(&t, 1458) && truth_exact(&t, 1458) < j.estimate.high);
	assert_true(j.beyond > 1);
	judgement_release(&j);
}

static void few_sizes_are_refused(void **state)
{
	struct truth t = truth_make(1, 0.02);
	struct made m;

	(void)state;
	make(&m, &t, 3, 5, 1458);
	expect(&m, JUDGE_FEW);
	make(&m, &t, 5, 3, 1458);
	expect(&m, JUDGE_NONE);
}

/* The counts of the denormal research: 0, 0, 160,416, 4,477,184. */
static void a_count_that_appears_is_refused(void **state)
{
	static const double seen[] = {0, 0, 0, 0, 160416, 4477184};
	struct truth t = truth_square(0.01);
	struct made m;

	(void)state;
	make(&m, &t, 6, 1, 1458);
	watch(&m, JUDGE_APPEARS, 0);
	memcpy(m.value, seen, sizeof(seen));
	expect(&m, JUDGE_APPEARED);
	memset(m.value, 0, sizeof(m.value));
	expect(&m, JUDGE_NONE);
	for (size_t i = 0; i < m.n; i++)
		m.value[i] = m.runs[i].x[0];
	expect(&m, JUDGE_NONE);
}

/* No probe is beyond the limit, but the target is: the level says so. */
static void a_threshold_ahead_is_refused(void **state)
{
	struct truth t = truth_square(0.01);
	struct made m;

	(void)state;
	make(&m, &t, 6, 2, 1458);
	watch(&m, JUDGE_LEVEL, 1400);
	for (size_t i = 0; i < m.n; i++)
		m.value[i] = m.runs[i].x[0];
	expect(&m, JUDGE_THRESHOLD);
	m.watch.limit = 1600;
	expect(&m, JUDGE_NONE);
	m.watch.limit = 10; /* all are beyond it */
	expect(&m, JUDGE_NONE);
	m.watch.limit = 100; /* crossed among the probes */
	expect(&m, JUDGE_THRESHOLD);
}

static void what_did_not_converge_is_refused(void **state)
{
	struct truth t = truth_square(0.01);
	struct made m;

	(void)state;
	make(&m, &t, 6, 2, 1458);
	watch(&m, JUDGE_CONVERGED, 0);
	for (size_t i = 0; i < m.n; i++)
		m.value[i] = i != 9;
	expect(&m, JUDGE_NOT_CONVERGED);
	m.value[9] = 1;
	expect(&m, JUDGE_NONE);
}

/* All costs rise by @rise from n = @from on: how many of @count are refused, or had the smaller sizes left out. */
static size_t noticed(double from, double rise, double noise, size_t count, size_t *refused)
{
	size_t seen = 0;

	*refused = 0;
	for (size_t i = 0; i < count; i++) {
		struct truth t = truth_make(1000 + i, noise);
		struct made m;
		struct judgement j;
		bool refusal;

		t.from = from;
		t.rise = rise;
		make(&m, &t, 8, 3, 2187);
		refusal = ask(&m, &j) != JUDGE_NONE;
		*refused += refusal;
		seen += refusal || j.left_out;
		judgement_release(&j);
	}
	return seen;
}

static void two_regimes_are_noticed_and_one_is_not(void **state)
{
	size_t refused, seen;

	(void)state;
	/* Sizes are 32, 48, 72, 108, 162, 243, 364, 547. */
	seen = noticed(500, 2.5, 0.02, 24, &refused);
	print_message("# costs 2.5 times as high from the largest probe on: %zu of 24 noticed\n", seen);
	assert_true(seen >= 23);
	seen = noticed(300, 2.5, 0.02, 24, &refused);
	print_message("# ... from the last but one on: %zu of 24 noticed, %zu refused\n", seen, refused);
	assert_true(seen >= 22);
	seen = noticed(INFINITY, 1, 0.02, 24, &refused);
	print_message("# no regime: %zu of 24 noticed, %zu refused\n", seen, refused);
	assert_true(refused <= 2 && seen <= 3);
}

/* What grows by 64 between two tasks that look alike is not told apart: noise of 24 %. */
static void an_interval_that_says_nothing_is_refused(void **state)
{
	struct truth t = truth_square(0.9);
	struct made m;

	(void)state;
	make(&m, &t, 5, 2, 1e6);
	expect(&m, JUDGE_TOO_WIDE);
	t = truth_square(0.01);
	make(&m, &t, 5, 2, 1458);
	expect(&m, JUDGE_NONE);
}

/* Counts without noise, times with much of it: the count's model has the shape. */
static void counts_go_first(void **state)
{
	struct truth t = truth_make(2, 0), noisy = truth_make(2, 0.1);
	struct judgement first, second;
	struct made m;

	(void)state;
	make(&m, &noisy, 7, 3, 1458);
	for (size_t i = 0; i < m.n; i++)
		m.count[i] = 1e6 * truth_exact(&t, m.runs[i].x[0]);
	assert_int_equal(ask(&m, &first), JUDGE_NONE);
	m.q.count = m.count;
	assert_int_equal(ask(&m, &second), JUDGE_NONE);
	assert_true(fabs(second.count / (1e6 * truth_exact(&t, 1458)) - 1) < 0.03);
	assert_true(second.estimate.high / second.estimate.low < first.estimate.high / first.estimate.low);
	assert_true(second.estimate.low < truth_exact(&t, 1458) &&
		    truth_exact(&t, 1458) < second.estimate.high);
	judgement_release(&first);
	judgement_release(&second);
}

/* What a count takes changes at a size: a cache that is outgrown. */
static void a_dearer_count_is_noticed(void **state)
{
	struct truth t = truth_make(2, 0), times = truth_make(2, 0.02);
	struct judgement j;
	struct made m;

	(void)state;
	times.from = 500;
	times.rise = 2;
	make(&m, &times, 8, 3, 2187);
	for (size_t i = 0; i < m.n; i++)
		m.count[i] = 1e6 * truth_exact(&t, m.runs[i].x[0]);
	m.q.count = m.count;
	assert_int_not_equal(ask(&m, &j), JUDGE_NONE);
	judgement_release(&j);
}

/* Times of counts n^3: 2 ms to start, 1e-9 s or 2e-6 s a count, which at n = 700 takes most of it either way. */
static enum judge_refusal starts(double a_count, double noise, uint64_t seed, struct judgement *j)
{
	struct rng r = rng_keyed(seed, 7, 0, 0);
	struct made m = {.n = 0};

	for (size_t i = 0; i < 16; i++) {
		double n = 16 * exp(0.25 * (double)(i / 2));

		m.runs[i].x[0] = n;
		m.count[i] = n * n * n;
		m.runs[i].y = (2e-3 + a_count * m.count[i]) * exp(noise * truth_normal(&r));
	}
	m.q = (struct judge_question){
		.params = 1, .names = names, .runs = m.runs, .n = 16, .target = {700}, .count = m.count};
	return ask(&m, j);
}

/* Probes that took their start alone have not seen what a count takes; the twin has. */
static void a_start_alone_foretells_nothing(void **state)
{
	size_t predicted = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct judgement j;

		if (starts(1e-9, 0.1, seed, &j) == JUDGE_NONE)
			assert_true(j.estimate.high > 1e-9 * 343e6);
		judgement_release(&j);
		predicted += starts(2e-6, 0.02, seed, &j) == JUDGE_NONE;
		judgement_release(&j);
	}
	print_message("# the twin: %zu of 20 predicted\n", predicted);
	assert_true(predicted >= 10);
}

/* Seconds of probes on a loaded machine, one run each: 4 n^3 / 10^12 beside a start-up of 20 to 40 ms; 4 s at 10000. */
static void growth_that_hides_in_noise_is_refused(void **state)
{
	static const double n[] = {40, 80, 159, 317, 632, 1261, 2515};
	static const double seen[][7] = {
		{0.0237, 0.0281, 0.0237, 0.0361, 0.0383, 0.0302, 0.0869},
		{0.0313, 0.0323, 0.0301, 0.0258, 0.0291, 0.0338, 0.0959},
		{0.0209, 0.0355, 0.0380, 0.0322, 0.0390, 0.0474},
		{0.0277, 0.0396, 0.0241, 0.0133},
	};
	static const size_t sizes[] = {7, 7, 6, 4};

	(void)state;
	for (size_t k = 0; k < 4; k++) {
		struct made m = {.n = 0};
		struct judgement j;

		for (size_t i = 0; i < sizes[k]; i++)
			m.runs[i] = (struct growth_run){{n[i]}, seen[k][i]};
		m.q = (struct judge_question){
			.params = 1, .names = names, .runs = m.runs, .n = sizes[k], .target = {10000}};
		if (ask(&m, &j) == JUDGE_NONE)
			fail_msg("%zu: %g to %g, and it is 4", k, j.estimate.low, j.estimate.high);
		if (k == 3 && (j.refusal != JUDGE_FLAT || !strstr(j.reason, "--cpu")))
			fail_msg("%s: %s", judge_refusals[j.refusal], j.reason);
		judgement_release(&j);
	}
}

/* ... and where it hardly can, since probes are precise, or the target is not far, what stays is predicted. */
static void what_stays_is_predicted_with_what_may_hide(void **state)
{
	static const double noise[] = {0, 0.01, 0.1}, target[] = {4000, 4000, 700};
	size_t predicted = 0;

	(void)state;
	for (size_t k = 0; k < 3; k++)
		for (uint64_t seed = 0; seed < 10; seed++) {
			struct truth t = {.constant = 5,
					  .noise = noise[k],
					  .from = INFINITY,
					  .rise = 1,
					  .rng = rng_keyed(seed, 11, 0, 0)};
			struct judgement j;
			struct made m;

			make(&m, &t, 8, 2, target[k]);
			predicted += ask(&m, &j) == JUDGE_NONE;
			judgement_release(&j);
		}
	print_message("# a constant: %zu of 30 predicted\n", predicted);
	assert_true(predicted >= 24);
}

/* n + n^2 in counts, of which the probes see 0.03 to 0.09 %: what no model leaves is a term. */
static void a_second_term_shows_in_counts(void **state)
{
	static const double n[] = {79, 158, 223, 205, 79};
	struct made m = {.n = 5};
	struct judgement j;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		m.runs[i] = (struct growth_run){{n[i]}, 5e5 * n[i] + 2 * n[i] * n[i]};
	m.q = (struct judge_question){.params = 1, .names = names, .runs = m.runs, .n = 5, .target = {20000}};
	assert_int_equal(ask(&m, &j), JUDGE_NONE);
	assert_true(j.estimate.low < 1.08e10 && 1.08e10 < j.estimate.high);
	judgement_release(&j);
}

/* A target among the probes is less than the largest of them, as it should be. */
static void between_exact_probes_is_known(void **state)
{
	static const double n[] = {4, 5, 6, 9, 16, 40, 126};

	(void)state;
	for (double target = 5; target <= 100; target *= 2) {
		struct made m = {.n = 7};
		struct judgement j;

		for (size_t i = 0; i < 7; i++)
			m.runs[i] = (struct growth_run){{n[i]}, 3 * n[i] * n[i]};
		m.q = (struct judge_question){
			.params = 1, .names = names, .runs = m.runs, .n = 7, .target = {target}};
		if (ask(&m, &j))
			fail_msg("n=%g: %s", target, j.reason);
		assert_true(fabs(j.estimate.middle / (3 * target * target) - 1) < 1e-3);
		judgement_release(&j);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_task_is_predicted),
		cmocka_unit_test(few_sizes_are_refused),
		cmocka_unit_test(a_count_that_appears_is_refused),
		cmocka_unit_test(a_threshold_ahead_is_refused),
		cmocka_unit_test(what_did_not_converge_is_refused),
		cmocka_unit_test(two_regimes_are_noticed_and_one_is_not),
		cmocka_unit_test(an_interval_that_says_nothing_is_refused),
		cmocka_unit_test(counts_go_first),
		cmocka_unit_test(a_dearer_count_is_noticed),
		cmocka_unit_test(a_start_alone_foretells_nothing),
		cmocka_unit_test(growth_that_hides_in_noise_is_refused),
		cmocka_unit_test(what_stays_is_predicted_with_what_may_hide),
		cmocka_unit_test(a_second_term_shows_in_counts),
		cmocka_unit_test(between_exact_probes_is_known),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
