/* SPDX-License-Identifier: MIT */
/*
 * Triggers of `radar`, written by perseus codegen.  Do not edit: change the plan and generate
 * again; the same plan and tool version give this file byte for byte.  See perseus_triggers.h
 * for the plan.
 */
#include "perseus_triggers.h"

#include <stdbool.h>
#include <stdint.h>

#include "perseus_platform.h"

#ifndef PERSEUS_PLAN_97ecf08410a1dab4
#error "perseus_triggers.h is of another plan: generate all files again"
#endif

const char perseus_plan_sha256[65] = PERSEUS_PLAN;

/* Creator, creating site, ordinal there, core at the start. */
const struct perseus_thread_row perseus_thread_table[PERSEUS_THREADS] = {
	/* main: waits for the others, any core of the package that must not halt */
	[THREAD_MAIN] = {PERSEUS_NO_THREAD, PERSEUS_NO_SITE, 0u, CORE_7},
	/* worker: shares 3 lines with worker 1: same L2 [share-001274] */
	[THREAD_WORKER_0] = {THREAD_MAIN, CREATE_1, 0u, CORE_2},
	/* worker: shares 3 lines with worker 0: same L2 [share-001274] */
	[THREAD_WORKER_1] = {THREAD_MAIN, CREATE_1, 1u, CORE_3},
	/* logger */
	[THREAD_LOGGER] = {THREAD_WORKER_0, CREATE_2, 0u, PERSEUS_NO_CORE},
};

struct perseus_status perseus_status = {.threads = perseus_thread_table};

/* Each row is written by its own thread only. */
struct perseus_thread_state perseus_state[PERSEUS_THREADS];

/* Creations so far by a creator at a site, kept at the row of the first such thread. */
static uint64_t perseus_created[PERSEUS_THREADS];

/* ---- settings: every outcome is counted, none stops the program ----------- */

/* The counter of @outcome; what did not succeed is noted.  An answer that no platform gives is a refusal. */
/*@ assigns perseus_status.last_error, perseus_status.last_value;
  @ ensures \result < PERSEUS_OUTCOMES; */
static uint32_t perseus_note(uint32_t outcome, uint32_t error, uint32_t value)
{
	uint32_t ended = outcome;

	if (ended >= PERSEUS_OUTCOMES) {
		ended = PERSEUS_REFUSED;
	}
	if (ended != PERSEUS_SET) {
		perseus_platform_store(&perseus_status.last_error, error);
		perseus_platform_store(&perseus_status.last_value, value);
	}
	return ended;
}

/* A thread that is on @core already is left there: no system call, and nothing is written but its own memory. */
/*@ requires self < PERSEUS_THREADS;
  @ requires perseus_core(core);
  @ assigns perseus_status, perseus_state[self].core, perseus_state[self].kept; */
static void perseus_pin(uint32_t self, uint32_t core)
{
	uint32_t error = 0u;
	uint32_t ended;

	if (perseus_state[self].core == core) {
		perseus_state[self].kept++;
	} else if (perseus_status.machine != PERSEUS_MACHINE_PLANNED) {
		perseus_platform_count(&perseus_status.suppressed);
	} else {
		perseus_state[self].core = PERSEUS_NO_CORE;
		ended = perseus_platform_pin(core, &error);
		ended = perseus_note(ended, error, core);
		perseus_platform_count(&perseus_status.pins[ended]);
		if (ended == PERSEUS_SET) {
			perseus_state[self].core = core;
		}
	}
}

/* A domain belongs to several threads, so what one of them set last does not tell how it is: always set. */
/*@ requires perseus_setting(domain, khz);
  @ assigns perseus_status; */
static void perseus_step(uint32_t domain, uint32_t khz)
{
	uint32_t error = 0u;
	uint32_t ended;

	if (perseus_status.machine != PERSEUS_MACHINE_PLANNED) {
		perseus_platform_count(&perseus_status.suppressed);
	} else {
		ended = perseus_platform_step(domain, khz, &error);
		ended = perseus_note(ended, error, khz);
		perseus_platform_count(&perseus_status.steps[ended]);
	}
}

/* ---- start of program and threads ------------------------------------------- */

/* What is set at the start of the calling thread, which is @self. */
/*@ assigns perseus_status, perseus_state[0 .. PERSEUS_THREADS - 1]; */
static void perseus_place(uint32_t self)
{
	switch (self) {
	case THREAD_MAIN:
		perseus_pin(THREAD_MAIN, perseus_thread_table[THREAD_MAIN].core);
		/* trigger 0001: only main and the logger run there [phase-000031] */
		perseus_step(DOMAIN_6, STEP_1587000);
		perseus_step(DOMAIN_7, STEP_1587000);
		break;
	case THREAD_WORKER_0:
		perseus_pin(THREAD_WORKER_0, perseus_thread_table[THREAD_WORKER_0].core);
		break;
	case THREAD_WORKER_1:
		perseus_pin(THREAD_WORKER_1, perseus_thread_table[THREAD_WORKER_1].core);
		/* trigger 0002: the critical path of phase 1 at the top step */
		perseus_step(DOMAIN_3, STEP_1853000);
		break;
	case THREAD_LOGGER:
		break; /* nothing is set at the start */
	default: /* no thread of the plan */
		perseus_platform_count(&perseus_status.not_entered);
		break;
	}
}

/* The calling thread is @self from now on, and takes its place. */
/*@ assigns perseus_status, perseus_state[0 .. PERSEUS_THREADS - 1]; */
static void perseus_enter(uint32_t self)
{
	if (perseus_platform_become(self) != PERSEUS_SET) {
		perseus_platform_count(&perseus_status.not_entered);
	} else {
		perseus_place(self);
	}
}

/* No thread is known to be on a core. */
/*@ assigns perseus_state[0 .. PERSEUS_THREADS - 1]; */
static void perseus_forget(void)
{
	uint32_t row;

	/*@ loop invariant row <= PERSEUS_THREADS;
	  @ loop assigns row, perseus_state[0 .. PERSEUS_THREADS - 1];
	  @ loop variant row; */
	for (row = PERSEUS_THREADS; row > 0u; row--) {
		perseus_state[row - 1u].core = PERSEUS_NO_CORE;
	}
}

/*@ assigns perseus_status, perseus_state[0 .. PERSEUS_THREADS - 1]; */
static void perseus_start(void)
{
	uint32_t machine = PERSEUS_MACHINE_FOREIGN;
	uint32_t in_main = PERSEUS_NO;

	if (perseus_status.machine == PERSEUS_MACHINE_UNCHECKED) {
		perseus_forget();
		if (perseus_platform_start() == PERSEUS_SET) {
			machine = PERSEUS_MACHINE_PLANNED;
		}
		perseus_platform_store(&perseus_status.machine, machine);
	}
	/* Before main() another thread may come here: main takes its place later then. */
	if (perseus_status.placed == 0u) {
		in_main = perseus_platform_in_main();
	}
	if (in_main == PERSEUS_YES) {
		perseus_platform_store(&perseus_status.placed, 1u);
		perseus_enter(PERSEUS_MAIN);
	}
}

/*@ assigns perseus_status, perseus_state[0 .. PERSEUS_THREADS - 1]; */
void perseus_program_start(void)
{
	perseus_start();
}

/*@ assigns perseus_status, perseus_state[0 .. PERSEUS_THREADS - 1]; */
void perseus_thread_enter(uint32_t instance)
{
	perseus_platform_count(&perseus_status.started);
	perseus_enter(instance);
}

/* Which instance creates a thread?  One that is made before main() starts the program. */
/*@ ensures \result < PERSEUS_THREADS || \result == PERSEUS_NO_THREAD;
  @ assigns perseus_status, perseus_state[0 .. PERSEUS_THREADS - 1]; */
static uint32_t perseus_self(void)
{
	if (perseus_status.machine == PERSEUS_MACHINE_UNCHECKED) {
		perseus_start();
	}
	return perseus_platform_self();
}

/* ---- creation: the creator decides which instance the new thread is ---- */

/* Note where the calling thread is about to create; one that the plan does not know notes nothing. */
/*@ assigns perseus_status, perseus_state[0 .. PERSEUS_THREADS - 1]; */
static void perseus_begin(uint32_t site)
{
	uint32_t self = perseus_self();

	if (self != PERSEUS_NO_THREAD) {
		perseus_state[self].site = site;
	}
}

/*@ assigns perseus_status, perseus_state[0 .. PERSEUS_THREADS - 1]; */
void perseus_create_1_begin(void)
{
	perseus_begin(CREATE_1);
}

/*@ assigns perseus_status, perseus_state[0 .. PERSEUS_THREADS - 1]; */
void perseus_create_2_begin(void)
{
	perseus_begin(CREATE_2);
}

/*@ assigns perseus_status, perseus_state[0 .. PERSEUS_THREADS - 1]; */
void perseus_create_end(void)
{
	perseus_begin(PERSEUS_NO_SITE);
}

/* Is row @row created by @self at its present site? */
/*@ requires self < PERSEUS_THREADS;
  @ requires row < PERSEUS_THREADS;
  @ assigns \nothing; */
static bool perseus_is_family(uint32_t self, uint32_t row)
{
	bool same = false;

	if (perseus_thread_table[row].creator == self) {
		if (perseus_thread_table[row].site == perseus_state[self].site) {
			same = true;
		}
	}
	return same;
}

/* The first row of such threads; PERSEUS_NO_THREAD if the plan knows none.  Row 0 is main, which nobody creates. */
/*@ requires self < PERSEUS_THREADS;
  @ assigns \nothing;
  @ ensures \result < PERSEUS_THREADS || \result == PERSEUS_NO_THREAD; */
static uint32_t perseus_family(uint32_t self)
{
	uint32_t first = PERSEUS_NO_THREAD;
	uint32_t row;

	/*@ loop invariant row < PERSEUS_THREADS;
	  @ loop invariant first < PERSEUS_THREADS || first == PERSEUS_NO_THREAD;
	  @ loop assigns row, first;
	  @ loop variant row; */
	for (row = PERSEUS_THREADS - 1u; row > 0u; row--) {
		if (perseus_is_family(self, row)) {
			first = row;
		}
	}
	return first;
}

/* The row of the @ordinal-th of them. */
/*@ requires self < PERSEUS_THREADS;
  @ assigns \nothing;
  @ ensures \result < PERSEUS_THREADS || \result == PERSEUS_NO_THREAD; */
static uint32_t perseus_member(uint32_t self, uint64_t ordinal)
{
	uint32_t child = PERSEUS_NO_THREAD;
	uint32_t row;

	/*@ loop invariant row <= PERSEUS_THREADS;
	  @ loop invariant child < PERSEUS_THREADS || child == PERSEUS_NO_THREAD;
	  @ loop assigns row, child;
	  @ loop variant row; */
	for (row = PERSEUS_THREADS; row > 0u; row--) {
		if (perseus_is_family(self, row - 1u)) {
			if (perseus_thread_table[row - 1u].ordinal == ordinal) {
				child = row - 1u;
			}
		}
	}
	return child;
}

/*@ ensures \result < PERSEUS_THREADS || \result == PERSEUS_NO_THREAD;
  @ assigns perseus_status, perseus_state[0 .. PERSEUS_THREADS - 1], perseus_created[0 .. PERSEUS_THREADS - 1]; */
uint32_t perseus_creation_take(void)
{
	uint32_t child = PERSEUS_NO_THREAD;
	uint32_t first = PERSEUS_NO_THREAD;
	uint32_t self = perseus_self();

	if (self != PERSEUS_NO_THREAD) {
		first = perseus_family(self);
		if (first != PERSEUS_NO_THREAD) {
			child = perseus_member(self, perseus_created[first]);
			perseus_created[first]++;
		}
	}
	if (child == PERSEUS_NO_THREAD) {
		perseus_platform_count(&perseus_status.unplanned);
	}
	return child;
}

/*@ assigns perseus_status, perseus_created[0 .. PERSEUS_THREADS - 1]; */
void perseus_creation_undo(void)
{
	uint32_t first = PERSEUS_NO_THREAD;
	uint32_t self = perseus_platform_self();

	perseus_platform_count(&perseus_status.not_created);
	if (self != PERSEUS_NO_THREAD) {
		first = perseus_family(self);
	}
	if (first != PERSEUS_NO_THREAD) {
		if (perseus_created[first] > 0u) {
			perseus_created[first]--;
		}
	}
}

/*@ assigns perseus_status, perseus_state[0 .. PERSEUS_THREADS - 1]; */
uint32_t perseus_recheck(void)
{
	uint32_t self = perseus_platform_self();
	uint32_t held = PERSEUS_YES;

	if (self != PERSEUS_NO_THREAD) {
		if (perseus_state[self].core != PERSEUS_NO_CORE) {
			if (perseus_platform_holds(perseus_state[self].core) != PERSEUS_SET) {
				perseus_state[self].core = PERSEUS_NO_CORE;
				perseus_platform_count(&perseus_status.pins_lost);
				held = PERSEUS_NO;
			}
		}
	}
	return held;
}

/* ---- trigger points ---------------------------------------------------------- */

/* Is this visit number @first, or one of every @every after it? */
/*@ requires every > 0;
  @ assigns \nothing; */
static bool perseus_due(uint64_t visits, uint32_t first, uint32_t every)
{
	bool due = false;

	if (visits >= first) {
		if (((visits - first) % every) == 0u) {
			due = true;
		}
	}
	return due;
}

/* before the call of fir in worker, fir.c:88 */
/*@ assigns perseus_status, perseus_state[0 .. PERSEUS_THREADS - 1]; */
void perseus_trigger_0118(void)
{
	uint64_t visits;

	switch (perseus_platform_self()) {
	case THREAD_WORKER_0:
		perseus_state[THREAD_WORKER_0].visits_0118++;
		visits = perseus_state[THREAD_WORKER_0].visits_0118;
		/*
		 * trigger 0118, visit 1: alone in this phase, with the second level cache for itself
		 * [phase-000032,share-001274]
		 */
		if (visits == 1u) {
			perseus_pin(THREAD_WORKER_0, CORE_0);
		}
		break;
	case THREAD_WORKER_1:
		perseus_state[THREAD_WORKER_1].visits_0118++;
		visits = perseus_state[THREAD_WORKER_1].visits_0118;
		/* trigger 0119, visit 1: alone in this phase [phase-000032] */
		if (visits == 1u) {
			perseus_pin(THREAD_WORKER_1, CORE_1);
		}
		break;
	default: /* other threads keep their place */
		break;
	}
}

/* after the call of pthread_barrier_wait in worker, fir.c:97 */
/*@ assigns perseus_status, perseus_state[0 .. PERSEUS_THREADS - 1]; */
void perseus_trigger_0120(void)
{
	uint64_t visits;

	switch (perseus_platform_self()) {
	case THREAD_WORKER_0:
		perseus_state[THREAD_WORKER_0].visits_0120++;
		visits = perseus_state[THREAD_WORKER_0].visits_0120;
		/* trigger 0120, visit 2 and every 2 after: back beside worker 1 for the next round [phase-000033] */
		if (perseus_due(visits, 2u, 2u)) {
			perseus_pin(THREAD_WORKER_0, CORE_2);
			perseus_step(DOMAIN_2, STEP_1853000);
		}
		/* trigger 0121, visit 9: the last round has slack */
		if (visits == 9u) {
			perseus_step(DOMAIN_2, STEP_1587000);
		}
		break;
	default: /* other threads keep their place */
		break;
	}
}
