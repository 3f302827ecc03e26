/* SPDX-License-Identifier: MIT */
/* Counts between two readings go to whom they belong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/counters/spread.h"

#define A 3 /* sites */
#define B 7

struct world {
	struct run_process p;
	struct run_counters c;
	struct run_counts counts;
	struct run_thread t;
	struct prs_thread raw;
	struct spread_row rows[3];
};

/* One thread from tick 0 on with one event read at @ticks, rows for A, B and the rest. */
static struct world *world(struct world *w, uint64_t *ticks, double *sums, size_t n)
{
	*w = (struct world){.p = {.counters = &w->c, .threads = &w->t, .n_threads = 1, .ns_per_tick = 1},
			    .c = {.n_events = 1, .threads = &w->counts, .n_threads = 1},
			    .counts = {.ticks = ticks, .sums = sums, .n = n},
			    .t = {.raw = &w->raw},
			    .rows = {{.site = A}, {.site = B}, {.site = PRS_NO_SITE}}};
	return w;
}

static void near(double want, double got)
{
	if (fabs(want - got) > 1e-6 * (fabs(want) + 1))
		fail_msg("expected %g, got %g", want, got);
}

static double total(const struct world *w)
{
	return w->rows[0].counts[0] + w->rows[1].counts[0] + w->rows[2].counts[0];
}

static void spread(struct world *w)
{
	spread_counts(&w->p, &w->t, w->rows, 3);
}

/* A counts 5 a tick, B nothing: the block log distinguishes them where self times alone could not. */
static void logged_calls_get_what_was_counted_in_them(void **state)
{
	uint64_t ticks[] = {1000, 2000, 3000, 4000};
	double sums[] = {5000, 5000, 10000, 10000};
	struct prs_log log[] = {{.end = 1000, .ticks = 1000, .site = A},
				{.end = 2000, .ticks = 1000, .site = B},
				{.end = 3000, .ticks = 1000, .site = A},
				{.end = 4000, .ticks = 1000, .site = B}};
	struct world w;

	(void)state;
	world(&w, ticks, sums, 4)->rows[0].self = 2000;
	w.rows[1].self = 2000;
	w.t.log = log;
	w.t.n_log = 4;
	spread(&w);
	near(10000, w.rows[0].counts[0]);
	near(0, w.rows[1].counts[0]);
	near(0, w.rows[2].counts[0]);
}

/* B is called by A for the second half of it. */
static void calls_inside_are_taken_out(void **state)
{
	uint64_t ticks[] = {500, 1000};
	double sums[] = {100, 1100};
	struct prs_log log[] = {{.end = 1000, .ticks = 500, .site = B, .depth = 1},
				{.end = 1000, .ticks = 1000, .site = A}};
	struct world w;

	(void)state;
	world(&w, ticks, sums, 2)->rows[0].self = 500;
	w.rows[1].self = 500;
	w.t.log = log;
	w.t.n_log = 2;
	spread(&w);
	near(100, w.rows[0].counts[0]);
	near(1000, w.rows[1].counts[0]);
}

/* Nothing is counted while a thread waits: the interval belongs to what ran in it. */
static void waits_count_nothing(void **state)
{
	uint64_t ticks[] = {1000};
	double sums[] = {300};
	struct prs_log log[] = {{.end = 1000, .ticks = 1000, .site = A}};
	struct prs_event events[] = {{.begin = 100, .end = 1000, .kind = PRS_EV_SLEEP}};
	struct world w;

	(void)state;
	world(&w, ticks, sums, 1)->rows[0].self = 100;
	w.t.log = log;
	w.t.n_log = 1;
	w.t.events = events;
	w.t.n_events = 1;
	spread(&w);
	near(300, w.rows[0].counts[0]);
	near(0, w.rows[2].counts[0]);
}

/* A is logged for 1000 ticks, 800 of which B took in calls too short for the log. */
static void short_calls_share_by_self_time(void **state)
{
	uint64_t ticks[] = {1000};
	double sums[] = {10000};
	struct prs_log log[] = {{.end = 1000, .ticks = 1000, .site = A}};
	struct world w;

	(void)state;
	world(&w, ticks, sums, 1)->rows[0].self = 200;
	w.rows[1].self = 800;
	w.t.log = log;
	w.t.n_log = 1;
	spread(&w);
	near(2000, w.rows[0].counts[0]);
	near(8000, w.rows[1].counts[0]);
}

static void without_a_log_self_time_decides(void **state)
{
	uint64_t ticks[] = {500, 1000};
	double sums[] = {100, 1000};
	struct world w;

	(void)state;
	world(&w, ticks, sums, 2)->rows[0].self = 600;
	w.rows[1].self = 300;
	w.rows[2].self = 100;
	spread(&w);
	near(600, w.rows[0].counts[0]);
	near(300, w.rows[1].counts[0]);
	near(100, w.rows[2].counts[0]);
}

static void what_nobody_accounts_for_is_the_rest(void **state)
{
	uint64_t ticks[] = {500};
	double sums[] = {77};
	struct world w;

	(void)state;
	world(&w, ticks, sums, 1);
	spread(&w);
	near(77, w.rows[2].counts[0]);
}

static void no_reading_no_counts(void **state)
{
	struct world w;

	(void)state;
	world(&w, NULL, NULL, 0)->rows[0].self = 5;
	w.rows[0].counts[0] = 9;
	spread(&w);
	near(0, total(&w));
}

/* Whatever the log says, the sums stay those of the thread. */
static void nonsense_in_the_log_loses_nothing(void **state)
{
	uint64_t ticks[] = {100, 250, 900, 901}, seed = 12345;
	double sums[] = {10, 20, 600, 601};
	struct prs_event events[6];
	struct prs_log log[20];
	struct world w;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		world(&w, ticks, sums, 4);
		for (int i = 0; i < 20; i++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			log[i] = (struct prs_log){.end = seed >> 54,
						  .ticks = seed >> 20 & 511,
						  .site = seed >> 40 & 1   ? A
							  : seed >> 41 & 1 ? B
									   : 99};
		}
		for (int i = 0; i < 6; i++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			events[i] = (struct prs_event){.begin = seed >> 55, .kind = PRS_EV_SEM};
			events[i].end = events[i].begin + (seed >> 20 & 255);
		}
		for (int i = 0; i < 3; i++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			w.rows[i].self = (double)(seed >> 54);
		}
		w.t.log = log;
		w.t.n_log = 20;
		w.t.events = events;
		w.t.n_events = 6;
		spread(&w);
		near(601, total(&w));
		for (int i = 0; i < 3; i++)
			assert_true(w.rows[i].counts[0] >= -1e-6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logged_calls_get_what_was_counted_in_them),
		cmocka_unit_test(calls_inside_are_taken_out),
		cmocka_unit_test(waits_count_nothing),
		cmocka_unit_test(short_calls_share_by_self_time),
		cmocka_unit_test(without_a_log_self_time_decides),
		cmocka_unit_test(what_nobody_accounts_for_is_the_rest),
		cmocka_unit_test(no_reading_no_counts),
		cmocka_unit_test(nonsense_in_the_log_loses_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
