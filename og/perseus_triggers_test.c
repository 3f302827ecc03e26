/* SPDX-License-Identifier: MIT */
/*
 * Unit test of the triggers of `pairs`, written by perseus codegen.  Do not edit: change the plan and generate
 * again; the same plan and tool version give this file byte for byte.  See perseus_triggers.h
 * for the plan.
 */
/*
 * Holds perseus_triggers.c against the plan on a counterfeit platform: every
 * thread, creation, trigger and visit, and every answer of every platform
 * function.  What is expected comes from the tables below, which are the
 * plan in numbers, and from the rules in perseus_triggers.h.
 *
 *   gcc -std=c11 -O0 --coverage -o test perseus_triggers_test.c perseus_triggers.c
 *   ./test
 *
 * prints "N cases, N failed"; exit status 0 if none failed, else 1.  With any
 * other C11 compiler: link it with the object that will be used.
 *
 * Under Frama-C this file is the program round the triggers instead: its
 * main() calls every function of perseus_triggers.h, in any order.
 */
#include "perseus_triggers.h"

#include <stdint.h>
#ifndef __FRAMAC__
#include <stdio.h>
#include <string.h>
#endif

#include "perseus_platform.h"

#define NONE (0xFFFFFFFFu)

/* What the triggers may ask of the platform. */
enum kind { NOTHING, START, IN_MAIN, BECOME, PIN, HOLDS, STEP };

struct setting {
	enum kind kind;
	uint32_t a;
	uint32_t b;
};

struct wanted_thread {
	uint32_t creator;
	uint32_t site;
	uint32_t ordinal;
	uint32_t core;
};

enum at { AT_NOWHERE, AT_START, AT_CALL };

struct wanted_trigger {
	uint32_t number;
	enum at at;
	uint32_t point;
	uint32_t thread;
	uint32_t first;
	uint32_t every;
	uint32_t setting;
	uint32_t settings;
};

struct point {
	uint32_t number;
	void (*call)(void);
};

#define PLAN     "30045abe0383c29dbab93d1f946ae8dd92c89698d9af5b7a4fa37ad32dc68299"
#define THREADS  (9u)
#define POINTS   (0u)
#define CREATES  (1u)
#define SETTINGS (0u)
#define WALK     (40u)

/* Creator, number of the creating site, ordinal there, core. */
static const struct wanted_thread threads[THREADS] = {
	{NONE, 0u, 0u, NONE}, /* main */
	{0u, 1u, 0u, 0u}, /* count */
	{0u, 1u, 1u, 1u}, /* count */
	{0u, 1u, 2u, 2u}, /* count */
	{0u, 1u, 3u, 3u}, /* count */
	{0u, 1u, 4u, 4u}, /* count */
	{0u, 1u, 5u, 5u}, /* count */
	{0u, 1u, 6u, 6u}, /* count */
	{0u, 1u, 7u, 7u}, /* count */
};

/* What the triggers set, in the order of the plan. */
static const struct setting settings[SETTINGS + 1u] = {
	{NOTHING, 0u, 0u},
};

/* Number, where, point, thread, first visit, every, settings: first and how many. */
static const struct wanted_trigger triggers[] = {
	{0u, AT_NOWHERE, NONE, NONE, 0u, 0u, 0u, 0u},
};

static void nothing(void)
{
}

/* The marks before calls that create threads. */
static void (*const begins[CREATES + 1u])(void) = {
	nothing,
	perseus_create_1_begin,
};

#ifdef __FRAMAC__
/* ---- any program round the triggers ----------------------------------------- */

extern volatile uint32_t perseus_any;

static void any_mark(uint32_t i)
{
	if (i <= CREATES) {
		begins[i]();
	}
	perseus_create_end();
}

static void any_thread(uint32_t i)
{
	perseus_thread_enter(i);
}

int main(void)
{
	while (perseus_any != 0u) {
		switch (perseus_any) {
		case 1u:
			perseus_program_start();
			break;
		case 3u:
			any_mark(perseus_any);
			break;
		case 4u:
			any_thread(perseus_any);
			break;
		case 5u:
			(void)perseus_creation_take();
			break;
		default:
			perseus_creation_undo();
			break;
		}
	}
	return 0;
}
#else
/* ---- the counterfeit platform ----------------------------------------------- */

#define ROOM (SETTINGS + THREADS + 8u)

struct calls {
	struct setting call[ROOM];
	uint32_t n;
};

/* What it answers, who is calling, and what it was asked. */
struct fake {
	uint32_t start;
	uint32_t in_main;
	uint32_t become;
	uint32_t outcome;
	uint32_t rotates; /* 1: the outcome of a setting depends on how many were before */
	uint32_t there;	  /* 1: a thread is always where its trigger puts it */
	uint32_t holds;
	uint32_t self;
	struct calls got;
};
static struct fake fake;

/* Every outcome there is, and one that there is not. */
static const uint32_t outcomes[] = {0u, 1u, 2u, 3u, 4u, 77u};
#define OUTCOMES (6u)

static void add(struct calls *calls, enum kind kind, uint32_t a, uint32_t b)
{
	if (calls->n < ROOM) {
		calls->call[calls->n].kind = kind;
		calls->call[calls->n].a = a;
		calls->call[calls->n].b = b;
	}
	calls->n++;
}

/* How setting number @n of a case ends. */
static uint32_t outcome_of(uint32_t n)
{
	return fake.rotates == 1u ? outcomes[n % OUTCOMES] : fake.outcome;
}

static uint32_t error_of(uint32_t outcome)
{
	return outcome == PERSEUS_SET ? 0u : 1000u + outcome;
}

uint32_t perseus_platform_start(void)
{
	add(&fake.got, START, 0u, 0u);
	return fake.start;
}

uint32_t perseus_platform_in_main(void)
{
	add(&fake.got, IN_MAIN, 0u, 0u);
	return fake.in_main;
}

uint32_t perseus_platform_self(void)
{
	return fake.self;
}

uint32_t perseus_platform_become(uint32_t instance)
{
	add(&fake.got, BECOME, instance, 0u);
	if (fake.become == PERSEUS_SET) {
		fake.self = instance;
	}
	return fake.become;
}

uint32_t perseus_platform_pin(uint32_t core, uint32_t *error)
{
	uint32_t outcome = outcome_of(fake.got.n);

	add(&fake.got, PIN, core, 0u);
	*error = error_of(outcome);
	return outcome;
}

void perseus_platform_count(uint32_t *counter)
{
	(*counter)++;
}

void perseus_platform_store(uint32_t *place, uint32_t value)
{
	*place = value;
}

/* ---- what is expected ------------------------------------------------------- */

static struct perseus_status want;
static struct calls want_calls;
static uint32_t want_self;

/* A setting of @value ended with @outcome: one that is not known counts as refused. */
static void want_ended(uint32_t *counters, uint32_t outcome, uint32_t value)
{
	counters[outcome < PERSEUS_OUTCOMES ? outcome : PERSEUS_REFUSED]++;
	if (outcome != PERSEUS_SET) {
		want.last_error = error_of(outcome);
		want.last_value = value;
	}
}

static void expect_pin(uint32_t self, uint32_t core)
{
	uint32_t outcome = outcome_of(want_calls.n);

	(void)self;
	if (want.machine != PERSEUS_MACHINE_PLANNED) {
		want.suppressed++;
		return;
	}
	add(&want_calls, PIN, core, 0u);
	want_ended(want.pins, outcome, core);
}

static void expect_setting(uint32_t thread, const struct setting *s)
{
	(void)thread;
	switch (s->kind) {
	case PIN:
		expect_pin(thread, s->a);
		break;
	default:
		break;
	}
}

static void expect_settings(const struct wanted_trigger *t)
{
	uint32_t i;

	for (i = t->setting; i < (t->setting + t->settings); i++) {
		expect_setting(t->thread, &settings[i]);
	}
}

/* All triggers of @thread at its start, which is the program's for main. */
static void expect_starts(uint32_t thread)
{
	uint32_t i;

	for (i = 0u; triggers[i].at != AT_NOWHERE; i++) {
		if ((triggers[i].at != AT_CALL) && (triggers[i].thread == thread)) {
			expect_settings(&triggers[i]);
		}
	}
}

/* @thread may be one that the plan has not: it becomes what the platform makes of it, and nothing is set. */
static void expect_enter(uint32_t thread)
{
	add(&want_calls, BECOME, thread, 0u);
	if (fake.become != PERSEUS_SET) {
		want.not_entered++;
	} else {
		want_self = thread;
		want.not_entered += thread < THREADS ? 0u : 1u;
		if ((thread < THREADS) && (threads[thread].core != NONE)) {
			expect_pin(thread, threads[thread].core);
		}
		expect_starts(thread);
	}
}

/* The start-up check, once; then main takes its place, once it is the caller. */
static void expect_start(void)
{
	if (want.machine == PERSEUS_MACHINE_UNCHECKED) {
		add(&want_calls, START, 0u, 0u);
		want.machine = fake.start == PERSEUS_SET ? PERSEUS_MACHINE_PLANNED : PERSEUS_MACHINE_FOREIGN;
	}
	if (want.placed == 0u) {
		add(&want_calls, IN_MAIN, 0u, 0u);
		if (fake.in_main == PERSEUS_YES) {
			want.placed = 1u;
			expect_enter(0u);
		}
	}
}

/* The row that a creation takes, the @ordinal-th by @creator at @site. */
static uint32_t child_of(uint32_t creator, uint32_t site, uint64_t ordinal)
{
	uint32_t i;

	for (i = 1u; i < THREADS; i++) {
		if ((creator != NONE) && (threads[i].creator == creator) && (threads[i].site == site) &&
		    (threads[i].ordinal == ordinal)) {
			return i;
		}
	}
	return NONE;
}

/* ---- cases ------------------------------------------------------------------ */

static unsigned long cases;
static unsigned long failed;

static void result(int good, const char *what, uint32_t a, uint64_t b)
{
	cases++;
	if (good == 0) {
		failed++;
		if (failed <= 20u) {
			(void)printf("failed: %s %lu, %llu\n", what, (unsigned long)a, (unsigned long long)b);
		}
	}
}

static int same_calls(void)
{
	uint32_t i;

	if ((fake.got.n != want_calls.n) || (want_calls.n > ROOM)) {
		return 0;
	}
	for (i = 0u; i < want_calls.n; i++) {
		if ((fake.got.call[i].kind != want_calls.call[i].kind) || (fake.got.call[i].a != want_calls.call[i].a) ||
		    (fake.got.call[i].b != want_calls.call[i].b)) {
			return 0;
		}
	}
	return 1;
}

static int same_status(void)
{
	const struct perseus_status *s = &perseus_status;

	return (s->threads == perseus_thread_table) && (s->machine == want.machine) && (s->placed == want.placed) && (s->started == want.started) &&
	       (s->unplanned == want.unplanned) && (s->not_created == want.not_created) &&
	       (s->not_entered == want.not_entered) && (memcmp(s->pins, want.pins, sizeof(want.pins)) == 0) &&
	       (s->pins_lost == want.pins_lost) && (memcmp(s->steps, want.steps, sizeof(want.steps)) == 0) &&
	       (s->suppressed == want.suppressed) && (s->last_error == want.last_error) &&
	       (s->last_value == want.last_value);
}

static int same_state(void)
{
	int same = fake.self == want_self;
	return same;
}

/* Did the calls, counters and places come out as expected?  The calls are forgotten, the rest goes on. */
static void check(const char *what, uint32_t a, uint64_t b)
{
	result(same_calls() && same_status() && same_state(), what, a, b);
	fake.got.n = 0u;
	want_calls.n = 0u;
}

/* A process in which nothing has happened, but @machine is known and main placed if @placed is 1. */
static void reset(uint32_t machine, uint32_t placed)
{
	(void)memset(&perseus_status, 0, sizeof(perseus_status));
	perseus_status.threads = perseus_thread_table;
	perseus_status.machine = machine;
	perseus_status.placed = placed;
	want = perseus_status;
	(void)memset(&fake, 0, sizeof(fake));
	fake.in_main = PERSEUS_YES;
	fake.self = NONE;
	want_self = NONE;
	want_calls.n = 0u;
	(void)memset(perseus_state, 0, sizeof(perseus_state));
}

/* The caller is @thread. */
static void become(uint32_t thread)
{
	fake.self = thread;
	want_self = thread;
}

static void case_tables(void)
{
	uint32_t i;

	result(strcmp(perseus_plan_sha256, PLAN) == 0, "hash of the plan", 0u, 0u);
	result(PERSEUS_THREADS == THREADS, "number of threads", PERSEUS_THREADS, THREADS);
	for (i = 0u; i < THREADS; i++) {
		const struct perseus_thread_row *row = &perseus_thread_table[i];

		result((row->creator == threads[i].creator) && (row->site == threads[i].site) &&
			       (row->ordinal == threads[i].ordinal) && (row->core == threads[i].core),
		       "row of thread", i, 0u);
	}
	result(same_status(), "counters of a process in which nothing happened", 0u, 0u);
}

/* Twice, as the first call before main() may come from another thread. */
static void start_with(uint32_t start, uint32_t in_main, uint32_t is)
{
	reset(PERSEUS_MACHINE_UNCHECKED, 0u);
	fake.start = start;
	fake.in_main = in_main;
	fake.become = is;
	expect_start();
	perseus_program_start();
	check("program start: answers of start and in_main", start, in_main);
	fake.in_main = PERSEUS_YES;
	expect_start();
	perseus_program_start();
	check("second program start: answers of start and become", start, is);
}

static void case_start(void)
{
	uint32_t i;
	uint32_t k;

	for (i = 0u; i < OUTCOMES; i++) {
		for (k = 0u; k < OUTCOMES; k++) {
			start_with(outcomes[i], PERSEUS_YES, outcomes[k]);
			start_with(outcomes[i], PERSEUS_NO, outcomes[k]);
			start_with(outcomes[i], 77u, outcomes[k]);
		}
	}
}

/*
 * A mode of a case: outcome number @mode for every setting, all in turn, none
 * as the machine is another one, none to be made.
 */
#define MODE_TURNS   (OUTCOMES)
#define MODE_FOREIGN (OUTCOMES + 1u)
#define MODE_THERE   (OUTCOMES + 2u)
#define MODES	     (OUTCOMES + 3u)
static void reset_to(uint32_t mode)
{
	reset(mode == MODE_FOREIGN ? PERSEUS_MACHINE_FOREIGN : PERSEUS_MACHINE_PLANNED, 1u);
	fake.outcome = mode < OUTCOMES ? outcomes[mode] : PERSEUS_SET;
	fake.rotates = mode == MODE_TURNS ? 1u : 0u;
	fake.there = mode == MODE_THERE ? 1u : 0u;
}

static void case_enter(void)
{
	uint32_t thread;
	uint32_t mode;
	uint32_t i;

	/* One more than there are: a number that is none of the plan. */
	for (thread = 0u; thread <= THREADS; thread++) {
		for (mode = 0u; mode < MODES; mode++) {
			for (i = 0u; i < OUTCOMES; i++) {
				reset_to(mode);
				fake.become = outcomes[i];
				want.started++;
				expect_enter(thread);
				perseus_thread_enter(thread);
				check("start of thread, mode", thread, mode);
			}
		}
	}
}

/* ---- creation --------------------------------------------------------------- */

/* Creations that are driven; a plan with a larger ordinal is not driven up to it. */
#define CREATIONS (100000u)

static uint32_t last_ordinal(uint32_t creator, uint32_t site)
{
	uint32_t last = 0u;
	uint32_t i;

	for (i = 1u; i < THREADS; i++) {
		if ((threads[i].creator == creator) && (threads[i].site == site) && (threads[i].ordinal > last)) {
			last = threads[i].ordinal;
		}
	}
	return last < CREATIONS ? last : CREATIONS;
}

static void at_site(uint32_t site)
{
	if (site == 0u) {
		perseus_create_end();
		return;
	}
	begins[site]();
}

/* Creation number @ordinal of the caller at @site. */
static void take(uint32_t site, uint64_t ordinal)
{
	uint32_t child = child_of(want_self, site, ordinal);

	at_site(site);
	want.unplanned += child == NONE ? 1u : 0u;
	result(perseus_creation_take() == child, "instance created by thread, as number", want_self, ordinal);
	check("creation by thread, as number", want_self, ordinal);
}

static void undo(uint32_t site)
{
	at_site(site);
	want.not_created++;
	perseus_creation_undo();
	check("creation that failed, by thread, at site", want_self, site);
}

/* All creations of @creator at @site, each failing once; then none has happened. */
static void create_all(uint32_t creator, uint32_t site)
{
	uint32_t last = last_ordinal(creator, site);
	uint32_t i;

	become(creator);
	for (i = 0u; i < (last + 2u); i++) {
		take(site, i);
		undo(site);
		take(site, i);
	}
	for (i = 0u; i < (last + 3u); i++) {
		undo(site);
	}
	take(site, 0u);
	undo(site);
}

/* Sites and creators in turn: their counts are their own. */
static void create_mixed(void)
{
	uint32_t creator;
	uint32_t site;
	uint32_t i;

	for (i = 0u; i < 6u; i++) {
		for (creator = 0u; creator < THREADS; creator++) {
			become(creator);
			for (site = 0u; site <= CREATES; site++) {
				if (i < 3u) {
					take(site, i);
				} else {
					undo(site);
				}
			}
		}
	}
}

static void case_create(void)
{
	uint32_t creator;
	uint32_t site;

	reset(PERSEUS_MACHINE_PLANNED, 1u);
	for (site = 0u; site <= CREATES; site++) {
		for (creator = 0u; creator < THREADS; creator++) {
			create_all(creator, site);
		}
		become(NONE);
		take(site, 0u);
		undo(site);
	}
	create_mixed();
}

/* Before main(), by a static constructor: the program starts with it. */
static void case_create_first(void)
{
	uint32_t i;

	for (i = 0u; i < OUTCOMES; i++) {
		reset(PERSEUS_MACHINE_UNCHECKED, 0u);
		fake.start = outcomes[i];
		expect_start();
		at_site(CREATES > 0u ? 1u : 0u);
		result(perseus_creation_take() == child_of(want_self, CREATES > 0u ? 1u : 0u, 0u), "first creation", i, 0u);
		want.unplanned += child_of(want_self, CREATES > 0u ? 1u : 0u, 0u) == NONE ? 1u : 0u;
		check("first creation", i, 0u);
		undo(CREATES > 0u ? 1u : 0u);
	}
}

int main(void)
{
	case_tables();
	case_start();
	case_enter();
	case_create();
	case_create_first();
	(void)printf("%lu cases, %lu failed\n", cases, failed);
	return failed == 0u ? 0 : 1;
}
#endif
