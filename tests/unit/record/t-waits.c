/* SPDX-License-Identifier: MIT */
/* Waits as readers see them: from entries, from the events of old records, and those that never ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "lib/mem.h"
#include "record/run.h"

#define THREADS 2

struct scene {
	struct prs_rec_header header;
	struct prs_thread raw[THREADS];
	struct run_thread threads[THREADS];
	struct run_process p;
};

/* A record of @minor that ends at tick 10000; thread 1 still runs then. */
static void begin(struct scene *x, uint16_t minor)
{
	*x = (struct scene){.header = {.minor = minor, .seen = minor ? PRS_SEEN_WAITS : 0, .n_calls = 4}};
	for (int i = 0; i < THREADS; i++)
		x->threads[i].raw = &x->raw[i];
	x->p = (struct run_process){
		.header = &x->header, .threads = x->threads, .n_threads = THREADS, .end = 10000};
}

static void finish(struct scene *x)
{
	run_process_waits(&x->p);
}

static void end(struct scene *x)
{
	for (int i = 0; i < THREADS; i++) {
		free(x->threads[i].waits);
		free(x->threads[i].events);
		free(x->threads[i].log);
		free(x->threads[i].open);
	}
}

static void add_event(struct scene *x, int thread, struct prs_event e)
{
	struct run_thread *t = &x->threads[thread];

	t->events = mem_resize(t->events, t->n_events + 1, sizeof(e));
	t->events[t->n_events++] = e;
}

static void add_wait(struct scene *x, int thread, struct prs_wait w)
{
	struct run_thread *t = &x->threads[thread];

	t->waits = mem_resize(t->waits, t->n_waits + 1, sizeof(w));
	t->waits[t->n_waits++] = w;
}

static const struct prs_wait going_on = {.kind = PRS_EV_COND,
					 .flags = PRS_WAIT_OPEN,
					 .first = 4000,
					 .site = PRS_NO_SITE,
					 .other = PRS_NO_THREAD};

static void old_records_have_their_waits_in_events(void **state)
{
	struct scene x;

	(void)state;
	begin(&x, 0);
	add_event(&x, 0, (struct prs_event){.kind = PRS_EV_MUTEX, .begin = 100, .end = 300, .object = 7});
	add_event(&x, 0, (struct prs_event){.kind = PRS_EV_POST, .begin = 400, .end = 500});
	add_event(&x, 0, (struct prs_event){.kind = PRS_EV_SEM, .begin = 600, .end = 600});
	finish(&x);
	assert_int_equal(x.threads[0].n_waits, 1);
	assert_int_equal(x.threads[0].waits[0].ticks, 200);
	assert_int_equal(x.threads[0].waits[0].count, 1);
	assert_int_equal(x.threads[0].waits[0].object, 7);
	end(&x);
}

static void the_last_to_come_to_a_barrier_is_waited_for(void **state)
{
	struct prs_event early = {.kind = PRS_EV_BARRIER, .begin = 100, .end = 900, .object = 5, .value = 2};
	struct prs_event late = {.kind = PRS_EV_BARRIER, .begin = 890, .end = 901, .object = 5, .value = 2};
	struct scene x;

	(void)state;
	begin(&x, 0);
	add_event(&x, 0, early);
	add_event(&x, 1, late);
	finish(&x);
	assert_int_equal(x.threads[0].waits[0].other, 1);
	assert_int_equal(x.threads[1].waits[0].other, PRS_NO_THREAD);
	end(&x);
}

static void sums_are_taken_as_they_are_and_events_left_alone(void **state)
{
	struct scene x;

	(void)state;
	begin(&x, 1);
	add_wait(&x, 0, (struct prs_wait){.kind = PRS_EV_MUTEX, .count = 9, .ticks = 900});
	add_event(&x, 0, (struct prs_event){.kind = PRS_EV_MUTEX, .begin = 100, .end = 300});
	finish(&x);
	assert_int_equal(x.threads[0].n_waits, 1);
	assert_int_equal(x.threads[0].waits[0].count, 9);
	end(&x);
}

static void a_wait_that_goes_on_ends_with_the_record(void **state)
{
	struct scene x;

	(void)state;
	begin(&x, 1);
	add_wait(&x, 1, going_on);
	finish(&x);
	assert_int_equal(x.threads[1].n_waits, 1);
	assert_int_equal(x.threads[1].waits[0].ticks, 6000);
	assert_int_equal(x.threads[1].waits[0].last, 10000);
	end(&x);
}

static void a_wait_that_has_ended_does_not_go_on(void **state)
{
	struct prs_wait none = going_on;
	struct scene x;

	(void)state;
	none.first = 0;
	begin(&x, 1);
	add_wait(&x, 1, none);
	finish(&x);
	assert_int_equal(x.threads[1].n_waits, 0);
	end(&x);
}

static void a_wait_goes_on_until_its_thread_ends(void **state)
{
	struct scene x;

	(void)state;
	begin(&x, 1);
	x.raw[1].end_tsc = 5000;
	add_wait(&x, 1, going_on);
	add_event(&x, 1, (struct prs_event){.kind = PRS_EV_EXIT, .begin = 4990, .end = 4995});
	finish(&x);
	assert_int_equal(x.threads[1].waits[0].ticks, 1000);
	end(&x);
}

static void a_thread_that_went_on_has_jumped_out_of_its_wait(void **state)
{
	struct prs_log later = {.end = 6000, .ticks = 50};
	struct scene x;

	(void)state;
	begin(&x, 1);
	add_wait(&x, 1, going_on);
	x.threads[1].log = mem_new(1, sizeof(later));
	x.threads[1].log[0] = later;
	x.threads[1].n_log = 1;
	finish(&x);
	assert_int_equal(x.threads[1].n_waits, 0);
	end(&x);
}

static void a_wait_whose_call_is_not_open_has_been_left(void **state)
{
	struct prs_wait w = going_on;
	struct scene x;

	(void)state;
	w.site = 3;
	begin(&x, 1);
	add_wait(&x, 1, w);
	x.threads[1].open = mem_new(1, sizeof(*x.threads[1].open));
	x.threads[1].open[0] = (struct rec_open){.site = 2, .start = 3000};
	x.threads[1].n_open = 1;
	finish(&x);
	assert_int_equal(x.threads[1].n_waits, 0);
	end(&x);
	begin(&x, 1);
	add_wait(&x, 1, w);
	x.threads[1].open = mem_new(1, sizeof(*x.threads[1].open));
	x.threads[1].open[0] = (struct rec_open){.site = 3, .start = 3999};
	x.threads[1].n_open = 1;
	finish(&x);
	assert_int_equal(x.threads[1].n_waits, 1);
	end(&x);
}

#define T(f) cmocka_unit_test(f)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(old_records_have_their_waits_in_events),
		T(the_last_to_come_to_a_barrier_is_waited_for),
		T(sums_are_taken_as_they_are_and_events_left_alone),
		T(a_wait_that_goes_on_ends_with_the_record),
		T(a_wait_that_has_ended_does_not_go_on),
		T(a_wait_goes_on_until_its_thread_ends),
		T(a_thread_that_went_on_has_jumped_out_of_its_wait),
		T(a_wait_whose_call_is_not_open_has_been_left),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("waits", tests, NULL, NULL);
}
