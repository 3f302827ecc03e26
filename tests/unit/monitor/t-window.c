/* SPDX-License-Identifier: MIT */
/* monitor/counts: looks as text and back, texts that are none, rates and their errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/rng.h"
#include "monitor/counts/file.h"
#include "monitor/counts/window.h"

#define HEAD "perseus-counts 1\nevents a.b c.d\n"

/* ---- text ----------------------------------------------------------------------------- */

static const char *const example = HEAD
	"at 1000\nthread 7 7 0 - main 5 10 10 6 10 5\nthread 7 8 - 7 a%20b 0 0 0 1 2 1\nat 2000\nat 3000\n"
	"thread 7 8 1 - - 9 9 9 9 9 9\n";

static void looks_are_read_and_written_as_they_are(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct counts_look look = {.ns = 0};
	struct err err = ERR_INIT;
	struct counts_file f;
	int ret;

	(void)state;
	assert_int_equal(counts_file_open(&f, "test", example, strlen(example), &err), 0);
	counts_file_head(&out, &f.events);
	while ((ret = counts_file_next(&f, &look, &err)) > 0) {
		counts_file_look(&out, &look);
		if (look.ns == 1000) {
			assert_int_equal(look.threads.n, 2);
			assert_string_equal(look.threads.at[1].name, "a b");
			assert_int_equal(look.threads.at[1].partner, 7);
			assert_int_equal(look.threads.at[1].core, -1);
			assert_int_equal(look.counts.at[1].running, 5);
		}
	}
	assert_int_equal(ret, 0);
	assert_string_equal(out.s, example);
	assert_int_equal(counts_event(&f.events, "c.d"), 1);
	assert_int_equal(counts_event(&f.events, "c"), 2);
	strbuf_release(&out);
	counts_look_release(&look);
	counts_file_close(&f);
}

static void refused(const char *text, const char *message)
{
	struct counts_look look = {.ns = 0};
	struct err err = ERR_INIT;
	struct counts_file f;
	int ret = counts_file_open(&f, "test", text, strlen(text), &err);

	if (!ret) {
		while ((ret = counts_file_next(&f, &look, &err)) > 0)
			;
		counts_file_close(&f);
	}
	counts_look_release(&look);
	assert_int_equal(ret, -22);
	if (!strstr(err.msg, message))
		fail_msg("'%s', expected '%s'", err.msg, message);
}

static void a_text_that_is_none_is_refused_with_its_line(void **state)
{
	(void)state;
	refused("", "perseus-counts 1");
	refused("perseus-counts 1\n", "expected 'events");
	refused("perseus-counts 1\nevents\n", "line 2: expected 'events");
	refused("perseus-counts 1\nevents a a\n", "'a' stands twice");
	refused(HEAD, "no look");
	refused(HEAD "at\n", "expected 'at NS'");
	refused(HEAD "at 0\n", "expected 'at NS'");
	refused(HEAD "at 5\nat 5\n", "line 4: at 5 is not after");
	refused(HEAD "at 5\nthread 1 1 0 - x 1 1 1\n", "line 4: 9 words");
	refused(HEAD "at 5\nthread 1 1 0 - x 1 1 2 0 0 0\n", "counted for 2 ns of 1");
	refused(HEAD "at 5\nthread 1 1 0 - x -1 1 1 0 0 0\n", "is no count");
	refused(HEAD "at 5\nthread 1 1 x - x 1 1 1 0 0 0\n", "'x' is no core");
	refused(HEAD "at 5\nthread 1 1 0 0 x 1 1 1 0 0 0\n", "'0' is no thread");
	refused(HEAD "at 5\nthread 1 1 0 - %zz 1 1 1 0 0 0\n", "no name");
	refused(HEAD "at 5\nthread 1 1 0 - %00 1 1 1 0 0 0\n", "no name");
	refused(HEAD "at 5\nthread 1 1 0 - aaaaaaaaaaaaaaaaa 1 1 1 0 0 0\n", "no name");
	refused(HEAD "at 5\nthread 1 1 0 - x 1 1 1 0 0 0\nthread 2 1 0 - x 1 1 1 0 0 0\n", "1 stands twice");
	refused(HEAD "at 5\nthreads\n", "expected at or thread");
}

static char *names_of_one[] = {(char *)"a.b"};
static const struct counts_events one = {names_of_one, 1, 1};

/* ---- rates ------------------------------------------------------------------------------ */

static void add(struct window *w, struct counts_look *look, uint64_t ns, uint32_t tid, struct count c)
{
	struct counts_thread t = {.pid = 1, .tid = tid};

	counts_look_clear(look, ns, 1);
	if (tid)
		*counts_look_add(look, &t) = c;
	window_add(w, look);
}

static void whole_counts_are_exact_and_per_10_ms_of_the_clock(void **state)
{
	struct counts_look look = {.ns = 0};
	struct rates r = {.ns = 0};
	struct window w;

	(void)state;
	window_init(&w, &one);
	add(&w, &look, 1000000000, 5, (struct count){1000, 10, 10});
	add(&w, &look, 1500000000, 5, (struct count){301000, 400, 400});
	add(&w, &look, 2000000000, 5, (struct count){1001001, 500, 500});
	window_end(&w, &r);
	assert_int_equal(r.threads.n, 1);
	assert_true(r.seconds == 1);
	assert_true(r.at.at[0].count == 1000001);
	assert_true(fabs(r.at.at[0].per_10ms - 10000.01) < 1e-9);
	assert_true(r.at.at[0].error == 0 && r.at.at[0].seen == 1);
	/* The next window begins where this one ended. */
	add(&w, &look, 2010000000, 5, (struct count){1001008, 505, 505});
	window_end(&w, &r);
	assert_true(r.at.at[0].count == 7 && fabs(r.at.at[0].per_10ms - 7) < 1e-9);
	/* It did not run. */
	add(&w, &look, 2020000000, 5, (struct count){1001008, 505, 505});
	window_end(&w, &r);
	assert_true(r.at.at[0].count == 0 && r.at.at[0].error == 0);
	/* A number that was given again begins anew; one that ended is gone. */
	add(&w, &look, 2030000000, 5, (struct count){4, 5, 5});
	window_end(&w, &r);
	assert_true(r.at.at[0].count == 0);
	add(&w, &look, 2040000000, 0, (struct count){0, 0, 0});
	window_end(&w, &r);
	assert_int_equal(r.threads.n, 0);
	rates_release(&r);
	counts_look_release(&look);
	window_release(&w);
}

static void what_was_not_counted_is_not_known_and_one_slice_has_no_error(void **state)
{
	struct counts_look look = {.ns = 0};
	struct rates r = {.ns = 0};
	struct window w;

	(void)state;
	window_init(&w, &one);
	add(&w, &look, 1000000000, 5, (struct count){0, 0, 0});
	add(&w, &look, 2000000000, 5, (struct count){0, 0, 0});
	window_end(&w, &r);
	assert_true(r.at.at[0].count == RATE_UNKNOWN && r.at.at[0].error == RATE_UNKNOWN);
	add(&w, &look, 3000000000, 5, (struct count){0, 1000, 0}); /* never on a counter */
	window_end(&w, &r);
	assert_true(r.at.at[0].count == RATE_UNKNOWN);
	add(&w, &look, 4000000000, 5, (struct count){30, 2000, 500});
	window_end(&w, &r);
	assert_true(r.at.at[0].count == 60 && r.at.at[0].seen == 0.5);
	assert_true(r.at.at[0].error == RATE_UNKNOWN);
	rates_release(&r);
	counts_look_release(&look);
	window_release(&w);
}

static void what_goes_by_the_clock_has_the_rate_of_the_time_that_passed(void **state)
{
	static char *names[] = {(char *)"directory.hitm"};
	const struct counts_events events = {names, 1, 1};
	struct counts_look look = {.ns = 0};
	struct rates r = {.ns = 0};
	struct window w;

	(void)state;
	window_init(&w, &events);
	add(&w, &look, 1000000000, 5, (struct count){0, 10000000, 10000000});
	add(&w, &look, 2000000000, 5, (struct count){0, 10000000, 10000000});
	window_end(&w, &r);
	assert_true(r.at.at[0].count == RATE_UNKNOWN); /* its turn did not come */
	add(&w, &look, 3000000000, 5, (struct count){300, 2010000000, 2010000000});
	window_end(&w, &r);
	assert_true(r.at.at[0].count == 300 && fabs(r.at.at[0].per_10ms - 1.5) < 1e-9);
	rates_release(&r);
	counts_look_release(&look);
	window_release(&w);
}

/*
 * A window of 20 slices of 12 turns; the counter is the event's in one to four turns of twelve, and a
 * turn has a count that depends on chance (@spread: times more or less).  Is the true sum inside?
 */
static bool interval_holds(struct rng *rng, double spread)
{
	struct counts_look look = {.ns = 0};
	unsigned on = 1 + (unsigned)rng_below(rng, 4);
	struct count c = {0, 1, 1};
	struct rates r = {.ns = 0};
	double truth = 0, low, high;
	struct window w;

	window_init(&w, &one);
	add(&w, &look, 1, 5, c);
	for (unsigned slice = 1; slice <= 20; slice++) {
		unsigned first = (unsigned)rng_below(rng, 12);

		for (unsigned turn = 0; turn < 12; turn++) {
			double x = rng_below(rng, 1000001) * 1e-6;
			uint64_t v = (uint64_t)(1000 * exp(spread * (2 * x - 1)));

			truth += (double)v;
			c.enabled += 4000000;
			if ((turn + 12 - first) % 12 < on) {
				c.running += 4000000;
				c.value += v;
			}
		}
		add(&w, &look, 1 + slice * 48000000u, 5, c);
	}
	window_end(&w, &r);
	low = (r.at.at[0].per_10ms - r.at.at[0].error) * r.seconds * 100;
	high = (r.at.at[0].per_10ms + r.at.at[0].error) * r.seconds * 100;
	assert_true(r.at.at[0].error > 0);
	rates_release(&r);
	counts_look_release(&look);
	window_release(&w);
	return low <= truth && truth <= high;
}

static void the_interval_holds_the_truth_95_times_in_100(void **state)
{
	(void)state;
	for (double spread = 0.05; spread < 2.5; spread *= 6) {
		struct rng rng = rng_keyed(24, (uint64_t)(spread * 100), 0, 0);
		unsigned held = 0;

		for (unsigned i = 0; i < 2000; i++)
			held += interval_holds(&rng, spread);
		/* 1900 +- 3 x 9.7, and it is a little too wide */
		assert_in_range(held, 1871, 1999);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(looks_are_read_and_written_as_they_are),
		cmocka_unit_test(a_text_that_is_none_is_refused_with_its_line),
		cmocka_unit_test(whole_counts_are_exact_and_per_10_ms_of_the_clock),
		cmocka_unit_test(what_was_not_counted_is_not_known_and_one_slice_has_no_error),
		cmocka_unit_test(what_goes_by_the_clock_has_the_rate_of_the_time_that_passed),
		cmocka_unit_test(the_interval_holds_the_truth_95_times_in_100),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
