/* SPDX-License-Identifier: MIT */
/*
 * Constants of the triggers of `radar`, written by perseus codegen.  Do not edit: change the plan and generate
 * again; the same plan and tool version give this file byte for byte.
 *
 * plan      plan.yaml  sha256 97ecf08410a1dab4b4f5b0b284a0c326462dffad0431b180dc20ab3bf65e04ac
 * program   radar
 * build id  4f1c02aa9b3d5e6f708192a3b4c5d6e7f8091a2b
 * sites     sha256 9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab
 * model     sha256 1b4f0e9851971998e732078544c96b36c3d01cedf7caa332359d6f1d83567014
 * platform  lab-8  sha256 60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752
 * processor Intel(R) Xeon(R) CPU E5320 @ 1.86GHz
 * cores     8, numbers up to 7
 * kind      call
 * back end  linux
 * steps by  perseusd
 * tool      perseus VERSION
 */
#ifndef PERSEUS_TRIGGERS_GENERATED_H
#define PERSEUS_TRIGGERS_GENERATED_H

#include <stdint.h>

#define PERSEUS_PLAN \
	"97ecf08410a1dab4b4f5b0b284a0c326462dffad0431b180dc20ab3bf65e04ac"
#define PERSEUS_PLAN_97ecf08410a1dab4 (1u)
#define PERSEUS_THREADS (4u)

/* A source that only calls the triggers defines this, so that no name meets one of its own. */
#ifndef PERSEUS_CALLS_ONLY

/* Thread instances of the plan. */
#define THREAD_MAIN (0u)
#define THREAD_WORKER_0 (1u)
#define THREAD_WORKER_1 (2u)
#define THREAD_LOGGER (3u)

/* Call sites that create threads. */
#define CREATE_1 (1u) /* pthread_create in main, src/radar main.c:140 */
#define CREATE_2 (2u) /* _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE in _ZNSt6threadC2IRFvvEJEvEEOT_DpOT0_, /usr/include/c++/12/bits/std_thread.h:146 */

/* Cores, by the system's number. */
#define CORE_0 (0u)
#define CORE_1 (1u)
#define CORE_2 (2u)
#define CORE_3 (3u)
#define CORE_7 (7u)

/* Frequency domains. */
#define DOMAIN_2 (2u)
#define DOMAIN_3 (3u)
#define DOMAIN_6 (6u)
#define DOMAIN_7 (7u)

/* Frequency steps, kHz. */
#define STEP_1587000 (1587000u)
#define STEP_1853000 (1853000u)
#endif /* PERSEUS_CALLS_ONLY */

/* "none" in the table of threads. */
#define PERSEUS_NO_THREAD (0xFFFFFFFFu)
#define PERSEUS_NO_CORE   (0xFFFFFFFFu) /* its placement is left alone */
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

/*
 * What a thread remembers: written by that thread only.  The gap keeps what two
 * threads write off one cache line.
 */
#define PERSEUS_GAP (128u)

struct perseus_thread_state {
	uint32_t core; /* where its last pin held, PERSEUS_NO_CORE: not held */
	uint32_t site; /* CREATE_n while it creates there */
	uint64_t kept; /* pins that had nothing to do */
	uint64_t visits_0118; /* of perseus_trigger_0118 */
	uint64_t visits_0120; /* of perseus_trigger_0120 */
	uint8_t gap[PERSEUS_GAP];
};

#ifdef __cplusplus
extern "C" {
#endif

extern const char perseus_plan_sha256[65];
extern const struct perseus_thread_row perseus_thread_table[PERSEUS_THREADS];
extern struct perseus_status perseus_status;
extern struct perseus_thread_state perseus_state[PERSEUS_THREADS];

/* First thing in main(): check the machine, place the main thread.  Further calls do nothing. */
void perseus_program_start(void);

/*
 * Read back whether the calling thread is still where it was put: PERSEUS_NO
 * if something else has moved it.  That is counted in pins_lost, and the next
 * trigger of the thread sets its place again; the triggers themselves do not
 * look, so that one that has nothing to change costs no system call.
 */
uint32_t perseus_recheck(void);

/*
 * For the platform file.  Take the instance of the thread that the caller is
 * about to create (PERSEUS_NO_THREAD: not planned); give it back if the
 * creation fails; enter it, first thing in the new thread.
 */
uint32_t perseus_creation_take(void);
void perseus_creation_undo(void);
void perseus_thread_enter(uint32_t instance);

/* Round the calls that create threads. */
void perseus_create_1_begin(void);
void perseus_create_2_begin(void);
void perseus_create_end(void);

/* Trigger points: called by the planned build. */
void perseus_trigger_0118(void);
void perseus_trigger_0120(void);

#ifdef __cplusplus
}
#endif

#endif
