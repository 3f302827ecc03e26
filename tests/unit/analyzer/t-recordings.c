/* SPDX-License-Identifier: MIT */
/* Several recordings of one program: intervals meet, estimates are a median, what one lacks is said. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/recordings.h"

static struct sharing_finding priced(const char *id, double cost, double low, double high)
{
	struct sharing_finding f = {.priced = true,
				    .cost = cost,
				    .cost_low = low,
				    .cost_high = high,
				    .confidence = SHARING_MEDIUM};

	snprintf(f.evidence, sizeof(f.evidence), "%s", id);
	return f;
}

static struct sharing_report report_of(struct sharing_finding *f, size_t n)
{
	return (struct sharing_report){.findings = f, .n = n, .priced = true};
}

static void intervals_that_meet_are_narrowed(void **state)
{
	struct sharing_finding a[] = {priced("share-1", 50, 5, 80)}, b[] = {priced("share-1", 20, 10, 60)},
			       c[] = {priced("share-1", 30, 2, 70)};
	struct sharing_report rep = report_of(a, 1), more[] = {report_of(b, 1), report_of(c, 1)};

	(void)state;
	recordings_join(&rep, more, 2);
	assert_float_equal(a[0].cost_low, 10, 0.001);
	assert_float_equal(a[0].cost_high, 60, 0.001);
	assert_float_equal(a[0].cost, 30, 0.001);
	assert_int_equal(a[0].recordings, 3);
	assert_int_equal(a[0].confidence, SHARING_MEDIUM);
	assert_int_equal(rep.n_significant, 1);
	assert_int_equal(rep.doubts.n, 0);
}

/* One that says little by itself may be told insignificant by another. */
static void the_verdict_follows_from_what_is_left(void **state)
{
	struct sharing_finding a[] = {priced("share-1", 0.2, 0, 85)}, b[] = {priced("share-1", 0.1, 0, 0.3)};
	struct sharing_report rep = report_of(a, 1), more[] = {report_of(b, 1)};

	(void)state;
	sharing_count(&rep);
	assert_int_equal(rep.n_perhaps, 1);
	recordings_join(&rep, more, 1);
	assert_int_equal(rep.n_perhaps, 0);
	assert_float_equal(a[0].cost_high, 0.3, 0.001);
}

static void intervals_that_contradict_each_other_span_all(void **state)
{
	struct sharing_finding a[] = {priced("share-1", 12, 10, 20)}, b[] = {priced("share-1", 50, 40, 60)};
	struct sharing_report rep = report_of(a, 1), more[] = {report_of(b, 1)};

	(void)state;
	recordings_join(&rep, more, 1);
	assert_float_equal(a[0].cost_low, 10, 0.001);
	assert_float_equal(a[0].cost_high, 60, 0.001);
	assert_int_equal(a[0].confidence, SHARING_LOW);
}

static void what_only_another_recording_saw_is_a_doubt(void **state)
{
	struct sharing_finding a[] = {priced("share-1", 12, 10, 20)},
			       b[] = {priced("share-2", 30, 20, 40), priced("share-3", 0.1, 0, 0.2)};
	struct sharing_report rep = report_of(a, 1), more[] = {report_of(b, 2)};

	(void)state;
	recordings_join(&rep, more, 1);
	assert_int_equal(a[0].recordings, 1);
	assert_int_equal(rep.doubts.n, 1);
	assert_non_null(strstr(rep.doubts.at[0], "share-2"));
	notes_release(&rep.doubts);
}

static struct sharing_pair pair_of(double rate, double low, double high, bool at_least)
{
	struct sharing_side s = {
		.name = (char *)"net", .what = (char *)"x", .per_s = rate, .at_least = at_least};

	s.per_s_low = low;
	s.per_s_high = high;
	return (struct sharing_pair){.a = s, .b = s};
}

/* Priced or not; of other threads nothing is taken. */
static void rates_span_all_recordings(void **state)
{
	struct sharing_pair x[] = {pair_of(100, 80, 120, false)}, y[] = {pair_of(300, 50, 400, false)};
	struct sharing_finding a[] = {priced("share-1", 12, 10, 20)}, b[] = {priced("share-1", 12, 10, 20)};
	struct sharing_report rep = report_of(a, 1), more[] = {report_of(b, 1)};

	(void)state;
	a[0].pairs = x;
	b[0].pairs = y;
	a[0].n_pairs = b[0].n_pairs = 1;
	a[0].priced = b[0].priced = false;
	recordings_join(&rep, more, 1);
	assert_float_equal(x[0].a.per_s, 100, 0.001);
	assert_float_equal(x[0].a.per_s_low, 80, 0.001);
	assert_float_equal(x[0].b.per_s_high, 300, 0.001);
	x[0] = pair_of(100, 100, 1e9, true);
	y[0] = pair_of(90, 60, 120, false);
	recordings_join(&rep, more, 1);
	assert_true(x[0].a.at_least);
	assert_float_equal(x[0].a.per_s, 60, 0.001);
	y[0].b.name = (char *)"other";
	y[0].a.per_s = 1e6;
	recordings_join(&rep, more, 1);
	assert_float_equal(x[0].a.per_s_low, 60, 0.001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_that_meet_are_narrowed),
		cmocka_unit_test(the_verdict_follows_from_what_is_left),
		cmocka_unit_test(intervals_that_contradict_each_other_span_all),
		cmocka_unit_test(what_only_another_recording_saw_is_a_doubt),
		cmocka_unit_test(rates_span_all_recordings),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
