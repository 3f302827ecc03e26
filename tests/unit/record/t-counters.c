/* SPDX-License-Identifier: MIT */
/* COUNTER and TEXT chunks, as they should be and as they should not. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "build.h"
#include "record/counters.h"
#include "record/run.h"

#define N 2 /* events */

struct entry {
	struct prs_counter head;
	struct prs_counter_value v[N];
};

static const char names[] =
	"counters.interval_us 1000\ncounters.read_ns 900\nevent.0.name cycles\n"
	"event.0.source perf user\nevent.0.group 0\nevent.0.error 0\nevent.1.name page-faults\n"
	"event.1.source system\nevent.1.group 1\nevent.1.error 13\nevent.2.name LLC-loads\n"
	"event.2.source none\nevent.2.error 2\n";

static struct entry at(uint64_t tick, uint64_t value, uint64_t enabled, uint64_t running)
{
	struct entry e = {.head = {.tsc = tick, .site = PRS_NO_SITE, .why = PRS_COUNTER_BLOCK, .n = N},
			  .v = {{value, enabled, running}, {value / 10, enabled, enabled}}};

	return e;
}

static int setup(void **state)
{
	*state = build_dir();
	return 0;
}

static int teardown(void **state)
{
	build_remove(*state);
	return 0;
}

static void add_text(struct prec *r, const char *text)
{
	uint64_t at_byte = prec_chunk(r, PRS_CHUNK_TEXT, PRS_NO_THREAD, NULL, 0, 0, 1);

	memcpy(r->file.s + at_byte + sizeof(struct prs_chunk), text, strlen(text));
	((struct prs_chunk *)(void *)(r->file.s + at_byte))->used = strlen(text);
}

/* A process with one thread from tick 1000 on whose readings are @e. */
static void make(const char *dir, const char *text, const struct entry *e, size_t n)
{
	struct prs_thread t = {.creator = PRS_NO_THREAD, .create_site = PRS_NO_SITE, .start_tsc = 1000};
	struct prec r;

	prec_start(&r, 100);
	prec_header(&r)->n_threads = 1;
	prec_header(&r)->counter_rung = PRS_RUNG_READ;
	prec_header(&r)->n_counters = N;
	prec_chunk(&r, PRS_CHUNK_THREAD, PRS_NO_THREAD, &t, sizeof(t), 1, 1);
	add_text(&r, text);
	prec_chunk(&r, PRS_CHUNK_COUNTER, 0, e, sizeof(*e), n, 4);
	prec_save(&r, dir);
	build_manifest(dir, "exited", 0, NULL);
}

static struct run opened(const char *dir)
{
	struct err err = ERR_INIT;
	struct run run;

	if (run_open(&run, dir, &err))
		fail_msg("%s", err.msg);
	return run;
}

static double sum_at(const struct run *run, size_t event, uint64_t tick)
{
	const struct run_process *p = &run->processes[0];

	return run_count_at(p->counters, &p->threads[0], event, tick);
}

static void events_are_told_with_what_became_of_them(void **state)
{
	const struct entry e[] = {at(2000, 100, 10, 10)};
	const struct run_counters *c;
	struct run run;

	make(*state, names, e, 1);
	run = opened(*state);
	c = run.processes[0].counters;
	assert_non_null(c);
	assert_int_equal(c->n_events, 3);
	assert_int_equal(c->rung, PRS_RUNG_READ);
	assert_int_equal(c->interval_us, 1000);
	assert_int_equal(c->read_ns, 900);
	assert_string_equal(c->events[0].name, "cycles");
	assert_true(c->events[0].counted && c->events[0].user_only && !c->events[0].system);
	assert_true(c->events[1].counted && c->events[1].system);
	assert_int_equal(c->events[1].error, 13);
	assert_false(c->events[2].counted);
	assert_int_equal(c->events[2].error, 2);
	assert_int_equal(run_event_find(c, "CYCLES"), 0);
	assert_int_equal(run_event_find(c, "LLC-loads"), -1);
	assert_true(run.complete);
	run_close(&run);
}

static void sums_go_straight_from_reading_to_reading(void **state)
{
	const struct entry e[] = {at(2000, 100, 10, 10), at(4000, 500, 30, 30)};
	struct run run;

	make(*state, names, e, 2);
	run = opened(*state);
	assert_true(sum_at(&run, 0, 500) == 0);
	assert_true(sum_at(&run, 0, 1500) == 50);
	assert_true(sum_at(&run, 0, 2000) == 100);
	assert_true(sum_at(&run, 0, 3000) == 300);
	assert_true(sum_at(&run, 0, 9000) == 500);
	assert_true(run_count_total(run.processes[0].counters, 0, 1) == 50);
	run_close(&run);
}

/* Half of the time counted: twice of what was; a stretch without a turn shares the next one's. */
static void events_that_take_turns_are_scaled(void **state)
{
	const struct entry e[] = {at(2000, 100, 1000, 500), at(3000, 100, 2000, 500),
				  at(4000, 300, 3000, 1500)};
	struct run run;

	make(*state, names, e, 3);
	run = opened(*state);
	assert_true(fabs(sum_at(&run, 0, 2000) - 200) < 1e-6);
	assert_true(fabs(sum_at(&run, 0, 4000) - 600) < 1e-6);
	assert_true(fabs(sum_at(&run, 0, 3000) - 400) < 1e-6);
	assert_true(fabs(run.processes[0].counters->threads[0].share[0] - 0.5) < 1e-9);
	assert_true(fabs(run.processes[0].counters->threads[0].share[1] - 1) < 1e-9);
	run_close(&run);
}

/* What a kill in the middle of thinning leaves: twice the same, out of order, and a hole. */
static void thinning_that_was_interrupted_is_put_right(void **state)
{
	const struct entry e[] = {at(3000, 200, 20, 20), at(0, 999, 1, 1), at(2000, 100, 10, 10),
				  at(3000, 200, 20, 20), at(4000, 300, 30, 30)};
	struct run run;

	make(*state, names, e, 5);
	run = opened(*state);
	assert_int_equal(run.processes[0].counters->threads[0].n, 3);
	assert_true(sum_at(&run, 0, 4000) == 300);
	assert_null(run.processes[0].damage);
	run_close(&run);
}

static void readings_that_go_back_are_dropped_and_named(void **state)
{
	const struct entry e[] = {at(2000, 100, 10, 10), at(3000, 50, 20, 20), at(4000, 300, 5, 5),
				  at(5000, 400, 40, 41), at(6000, 500, 50, 50)};
	struct run run;

	make(*state, names, e, 5);
	run = opened(*state);
	assert_int_equal(run.processes[0].counters->threads[0].n, 2);
	assert_non_null(strstr(run.processes[0].damage, "3 readings of counters"));
	assert_false(run.complete);
	run_close(&run);
}

static void refusals_of_a_thread_are_no_readings(void **state)
{
	struct entry e[] = {at(1500, 24, 0, 0), at(2000, 0, 0, 0)};
	struct run run;

	e[0].head.why = PRS_COUNTER_REFUSED;
	e[0].v[1] = (struct prs_counter_value){3, 10, 10};
	make(*state, names, e, 2);
	run = opened(*state);
	assert_int_equal(run.processes[0].counters->threads[0].n, 1);
	assert_int_equal(run.processes[0].counters->threads[0].refused[0], 24);
	assert_int_equal(run.processes[0].counters->threads[0].refused[1], 0);
	run_close(&run);
}

static void text_without_events_means_no_counters(void **state)
{
	const struct entry e[] = {at(2000, 100, 10, 10)};
	struct run run;

	make(*state, "counters.interval_us 12x\nevent.1.name late\nnonsense\n\n", e, 1);
	run = opened(*state);
	assert_int_equal(run.processes[0].counters->n_events, 0);
	assert_int_equal(run.processes[0].counters->interval_us, 0);
	run_close(&run);
}

static void a_run_that_asked_for_none_has_none(void **state)
{
	struct run run;
	struct prec r;

	prec_start(&r, 100);
	prec_save(&r, *state);
	build_manifest(*state, "exited", 0, NULL);
	run = opened(*state);
	assert_null(run.processes[0].counters);
	run_close(&run);
}

static void keys_are_whole_words(void **state)
{
	const struct entry e[] = {at(2000, 100, 10, 10)};
	struct run run;
	size_t len;

	make(*state, "budget 3\nbudget.more 4\nlast", e, 1);
	run = opened(*state);
	assert_memory_equal(run_text(&run.processes[0], "budget", &len), "3", 1);
	assert_int_equal(len, 1);
	assert_null(run_text(&run.processes[0], "budge", &len));
	assert_null(run_text(&run.processes[0], "last", &len));
	run_close(&run);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(events_are_told_with_what_became_of_them),
		T(sums_go_straight_from_reading_to_reading),
		T(events_that_take_turns_are_scaled),
		T(thinning_that_was_interrupted_is_put_right),
		T(readings_that_go_back_are_dropped_and_named),
		T(refusals_of_a_thread_are_no_readings),
		T(text_without_events_means_no_counters),
		T(a_run_that_asked_for_none_has_none),
		T(keys_are_whole_words),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
