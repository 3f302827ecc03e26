/* SPDX-License-Identifier: MIT */
/* How often a lock was taken at a place, by those who waited there and by those who never had to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/waits/parts.h"

#define N       5
#define LOCK    0x1000
#define PLACE   0x40
#define VISITOR "visitor"

struct scene {
	struct prs_wait taken[N];
	struct run_thread threads[N];
	struct report_thread lines[N];
	struct run_process process;
	struct run run;
	struct report_summary s;
	struct wait_places *places;
};

/* Threads 1 to 4 are visitors and took the lock at one place, once, twice, ...; 0 is another, there, too. */
static void begin(struct scene *x)
{
	*x = (struct scene){0};
	for (uint32_t i = 0; i < N; i++) {
		x->taken[i] = (struct prs_wait){.object = LOCK,
						.caller = PLACE,
						.kind = PRS_EV_MUTEX,
						.flags = PRS_WAIT_TAKEN,
						.count = i ? i : 100,
						.site = PRS_NO_SITE};
		x->threads[i] = (struct run_thread){.waits = &x->taken[i], .n_waits = 1};
		x->lines[i] = (struct report_thread){.name = i ? VISITOR : "main"};
	}
	x->process = (struct run_process){.threads = x->threads, .n_threads = N};
	x->run = (struct run){.processes = &x->process, .n_processes = 1};
	x->s = (struct report_summary){.run = &x->run, .threads = x->lines};
}

static struct wait_row row_of(const struct scene *x, uint32_t thread)
{
	return (struct wait_row){.process = &x->process,
				 .object = LOCK,
				 .kind = PRS_EV_MUTEX,
				 .caller = PLACE,
				 .thread = thread};
}

static void who_never_waited_counts(void **state)
{
	struct scene x;
	struct wait_row row;

	(void)state;
	begin(&x);
	x.places = wait_places_make(&x.s);
	row = row_of(&x, 2);
	assert_int_equal(wait_places_taken(x.places, &row), 2);
	assert_int_equal(wait_places_others(x.places, &x.s, &row, VISITOR), 1 + 3 + 4);
	wait_places_free(x.places);
}

static void nobody_counts_twice(void **state)
{
	struct scene x;
	struct wait_row a, b;

	(void)state;
	begin(&x);
	x.places = wait_places_make(&x.s);
	a = row_of(&x, 2);
	b = row_of(&x, 4);
	assert_int_equal(wait_places_taken(x.places, &a), 2);
	assert_int_equal(wait_places_taken(x.places, &a), 0);
	assert_int_equal(wait_places_taken(x.places, &b), 4);
	assert_int_equal(wait_places_others(x.places, &x.s, &a, VISITOR), 1 + 3);
	assert_int_equal(wait_places_others(x.places, &x.s, &b, VISITOR), 0);
	wait_places_free(x.places);
}

static void another_place_or_lock_does_not_count(void **state)
{
	struct scene x;
	struct wait_row row;

	(void)state;
	begin(&x);
	x.taken[1].caller = PLACE + 8;
	x.taken[3].object = LOCK + 8;
	x.places = wait_places_make(&x.s);
	row = row_of(&x, 2);
	assert_int_equal(wait_places_taken(x.places, &row), 2);
	assert_int_equal(wait_places_others(x.places, &x.s, &row, VISITOR), 4);
	wait_places_free(x.places);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_never_waited_counts),
		cmocka_unit_test(nobody_counts_twice),
		cmocka_unit_test(another_place_or_lock_does_not_count),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
