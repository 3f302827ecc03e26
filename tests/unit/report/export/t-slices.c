/* SPDX-License-Identifier: MIT */
/* Calls in the order of their ends, put into the order of time, in chunks of any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/export/slices.h"

#define MOST 4000

struct step {
	uint64_t at;
	uint32_t what;
	bool begins;
};

/* One thread: what it did, and what came out. */
static struct step want[2 * MOST], got[2 * MOST];
static size_t n_want, n_got, n_log, done_threads;
static struct prs_log calls[MOST];
static uint64_t now;
static unsigned seed;

static unsigned draw(unsigned below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % below;
}

static void call(unsigned depth)
{
	uint64_t start = now;
	uint32_t site = (uint32_t)n_want % 100;

	want[n_want++] = (struct step){now, site, true};
	now += draw(3); /* many begin at one tick */
	for (unsigned i = draw(4);
	     depth && i-- > 0 && n_want + depth < 2 * MOST - 100 && n_log + depth < MOST - 100;)
		call(depth - 1);
	now += draw(3);
	want[n_want++] = (struct step){now, site, false};
	calls[n_log++] = (struct prs_log){.end = now, .ticks = now - start, .site = site};
}

static void one_thread(void *to, const struct slice_thread *t)
{
	assert_ptr_equal(to, got);
	assert_string_equal(t->name, "thread");
}

static void note(uint64_t ns, uint32_t what, bool begins)
{
	if (what == SLICE_LIFE)
		return;
	assert_true(n_got < 2 * MOST);
	assert_true(!n_got || got[n_got - 1].at <= ns);
	got[n_got++] = (struct step){ns, what, begins};
}

static void begin(void *to, uint64_t ns, uint32_t what)
{
	(void)to;
	note(ns, what, true);
}

static void end(void *to, uint64_t ns, uint32_t what)
{
	(void)to;
	note(ns, what, false);
}

static void done(void *to)
{
	(void)to;
	done_threads++;
}

/* Slices of one thread whose long calls are calls[]. */
static void slice(void)
{
	struct prs_rec_header header = {.tsc_start = 1, .n_calls = 100};
	struct prs_thread raw = {.start_tsc = 1, .end_tsc = now + 10};
	struct run_thread thread = {.raw = &raw, .log = calls, .n_log = n_log};
	struct run_process process = {
		.header = &header, .threads = &thread, .n_threads = 1, .ns_per_tick = 1, .end = now + 10};
	char path[] = "/nonexistent";
	struct run run = {.path = path, .processes = &process, .n_processes = 1};
	struct report_summary s = {.run = &run};
	struct export e = {.run = &run, .s = &s};
	const struct slice_writer w = {got, one_thread, begin, end, done};
	struct err err = ERR_INIT;

	n_got = done_threads = 0;
	assert_int_equal(slices_write(&e, &w, &err), 0);
	assert_int_equal(done_threads, 1);
	assert_non_null(strstr(e.notes.s, "has no trace"));
	strbuf_release(&e.notes);
}

static void every_call_begins_and_ends_where_it_did(void **state)
{
	static const uint32_t chunks[] = {262144, 1, 2, 3, 7, 64};

	(void)state;
	for (seed = 1; seed < 60; seed++) {
		unsigned first = seed;

		n_want = n_log = 0;
		now = 1;
		for (unsigned i = 0; i < 20; i++)
			call(1 + draw(8));
		for (size_t c = 0; c < sizeof(chunks) / sizeof(chunks[0]); c++) {
			slices_chunk = chunks[c];
			slice();
			assert_int_equal(n_got, n_want);
			for (size_t i = 0; i < n_got; i++) {
				/* Of calls that took no time the order is not known. */
				assert_int_equal(got[i].at, want[i].at - 1);
			}
		}
		seed = first;
	}
}

/* What ends is what began last, whatever took no time. */
static void calls_nest(void **state)
{
	uint32_t open[MOST];
	size_t depth = 0;

	(void)state;
	slices_chunk = 5;
	slice();
	for (size_t i = 0; i < n_got; i++) {
		if (got[i].begins) {
			open[depth++] = got[i].what;
			continue;
		}
		assert_true(depth > 0);
		assert_int_equal(open[--depth], got[i].what);
	}
	assert_int_equal(depth, 0);
}

/* A long call is as long as its rounded length says, and holds what it holds. */
static void a_length_that_was_rounded_down_leaves_a_call_round_what_it_called(void **state)
{
	(void)state;
	slices_chunk = 1;
	n_log = 0;
	calls[n_log++] = (struct prs_log){.end = 120, .ticks = 20, .site = 1};
	calls[n_log++] = (struct prs_log){.end = 140, .ticks = 10, .site = 2};
	calls[n_log++] = (struct prs_log){.end = 1000, .ticks = 895, .site = 3}; /* from 105 on */
	now = 1000;
	slice();
	assert_int_equal(n_got, 6);
	assert_int_equal(got[0].what, 3);
	assert_int_equal(got[0].at, 99);
	assert_int_equal(got[1].what, 1);
	assert_int_equal(got[5].what, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_call_begins_and_ends_where_it_did),
		cmocka_unit_test(calls_nest),
		cmocka_unit_test(a_length_that_was_rounded_down_leaves_a_call_round_what_it_called),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
