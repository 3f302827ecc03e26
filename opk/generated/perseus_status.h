/* SPDX-License-Identifier: MIT */
/*
 * Library of the triggers, written by perseus codegen.  It holds nothing of a plan:
 * all plans that need the same parts have these bytes, which are reviewed once.
 * Parts:
 */
/*
 * What the triggers did, for program and debugger, and how they are entered.
 */
#ifndef PERSEUS_STATUS_H
#define PERSEUS_STATUS_H

#include <stdint.h>

/* "none" in the table of threads. */
#define PERSEUS_NO_THREAD (0xFFFFFFFFu)
#define PERSEUS_NO_SITE   (0u)

/* What the start-up check found. */
#define PERSEUS_MACHINE_UNCHECKED (0u)
#define PERSEUS_MACHINE_PLANNED   (1u)
#define PERSEUS_MACHINE_FOREIGN   (2u) /* no trigger acts */

/*
 * How a setting ended, and thus which of its counters counts it:
 *   0  made, and read back as asked
 *   1  accepted, but the read-back differs
 *   2  refused by the system: see last_error
 *   3  core not in the mask the program started with: left alone
 *   4  this system has no such control: left alone
 */
#define PERSEUS_SET      (0u)
#define PERSEUS_REFUSED  (2u)
#define PERSEUS_OUTCOMES (5u)

/* The instance that runs main(). */
#define PERSEUS_MAIN (0u)

/* Answers. */
#define PERSEUS_NO  (0u)
#define PERSEUS_YES (1u)

/* A thread instance: who creates it where, as which one, and where it starts. */
struct perseus_thread_row {
	uint32_t creator;
	uint32_t site;	  /* CREATE_n; PERSEUS_NO_SITE: created inside a library */
	uint32_t ordinal; /* among the creations by that creator at that site */
	uint32_t core;
};

/* What the triggers did.  Read it at any time, by program or debugger; a counter never wraps. */
struct perseus_status {
	const struct perseus_thread_row *threads; /* perseus_thread_table */
	uint32_t machine;		 /* PERSEUS_MACHINE_* */
	uint32_t placed;		 /* 1: the main thread took its place */
	uint32_t started;		 /* planned threads that started */
	uint32_t unplanned;		 /* creations that the plan does not know: placement left alone */
	uint32_t not_created;		 /* creations that the system refused */
	uint32_t not_entered;		 /* threads that could not be told who they are */
	uint32_t suppressed;		 /* settings not tried, as the machine is not the planned one */
	uint32_t pins[PERSEUS_OUTCOMES]; /* cores set, by how that ended */
	uint32_t pins_lost;		 /* held once, but not when it was looked at later */
	uint32_t steps[PERSEUS_OUTCOMES]; /* the same for frequency steps */
	uint32_t steps_way;  /* who makes the steps: 0 nobody, 1 perseusd, 2 /dev/perseus, 3 cpufreq's files, 4 perseusd, lost */
	uint32_t last_error; /* errno of the last refusal */
	uint32_t last_value; /* core or kHz of the last setting that did not succeed */
};

#ifdef __cplusplus
extern "C" {
#endif

extern const char perseus_plan_sha256[65];
extern const struct perseus_thread_row perseus_thread_table[PERSEUS_THREADS];
extern struct perseus_status perseus_status;

/* First thing in main(): check the machine, place the main thread.  Further calls do nothing. */
void perseus_program_start(void);

/*
 * For the platform file.  Take the instance of the thread that the caller is
 * about to create (PERSEUS_NO_THREAD: not planned); give it back if the
 * creation fails; enter it, first thing in the new thread.
 */
uint32_t perseus_creation_take(void);
void perseus_creation_undo(void);
void perseus_thread_enter(uint32_t instance);

#ifdef __cplusplus
}
#endif

#endif
