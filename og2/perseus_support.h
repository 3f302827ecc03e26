/* SPDX-License-Identifier: MIT */
/*
 * Library of the triggers, written by perseus codegen.  It holds nothing of a plan:
 * all plans that need the same parts have these bytes, which are reviewed once.
 * Parts: settles place sites family
 */
/*
 * Settings, the start of program and threads, and who creates whom: what
 * perseus_triggers.c uses, and the only file that includes this one.
 */
#ifndef PERSEUS_SUPPORT_H
#define PERSEUS_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "perseus_platform.h"
#include "perseus_triggers.h"

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

/* Put the calling thread on @core. */
/*@ requires perseus_core(core);
  @ assigns perseus_status; */
static void perseus_pin(uint32_t core)
{
	uint32_t error = 0u;
	uint32_t ended;

	if (perseus_status.machine != PERSEUS_MACHINE_PLANNED) {
		perseus_platform_count(&perseus_status.suppressed);
	} else {
		ended = perseus_platform_pin(core, &error);
		ended = perseus_note(ended, error, core);
		perseus_platform_count(&perseus_status.pins[ended]);
	}
}

/* ---- start of program and threads ------------------------------------------- */

/* What the plan sets at the start of the calling thread, which is @self: in perseus_triggers.c. */
/*@ assigns perseus_status; */
static void perseus_place(uint32_t self);

/* The calling thread is @self from now on, and takes its place. */
/*@ assigns perseus_status; */
static void perseus_enter(uint32_t self)
{
	if (perseus_platform_become(self) != PERSEUS_SET) {
		perseus_platform_count(&perseus_status.not_entered);
	} else {
		perseus_place(self);
	}
}

/*@ assigns perseus_status; */
static void perseus_start(void)
{
	uint32_t machine = PERSEUS_MACHINE_FOREIGN;
	uint32_t in_main = PERSEUS_NO;

	if (perseus_status.machine == PERSEUS_MACHINE_UNCHECKED) {
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

/*@ assigns perseus_status; */
void perseus_program_start(void)
{
	perseus_start();
}

/*@ assigns perseus_status; */
void perseus_thread_enter(uint32_t instance)
{
	perseus_platform_count(&perseus_status.started);
	perseus_enter(instance);
}

/* Which instance creates a thread?  One that is made before main() starts the program. */
/*@ ensures \result < PERSEUS_THREADS || \result == PERSEUS_NO_THREAD;
  @ assigns perseus_status; */
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
  @ assigns perseus_status, perseus_created[0 .. PERSEUS_THREADS - 1]; */
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

#ifndef PERSEUS_SUPPORT_SETTLES_PLACE_SITES_FAMILY
#error "perseus_support.h has other parts than the plan needs: generate all files again"
#endif

#endif
