/* SPDX-License-Identifier: MIT */
/*
 * Triggers of `radar`, written by perseus codegen.  Do not edit: change the plan and
 * generate again; the same plan and tool version give this file byte for byte.
 *
 * plan      plan.yaml  sha256 97ecf08410a1dab4b4f5b0b284a0c326462dffad0431b180dc20ab3bf65e04ac
 * program   radar
 * build id  4f1c02aa9b3d5e6f708192a3b4c5d6e7f8091a2b
 * sites     sha256 9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab
 * model     sha256 1b4f0e9851971998e732078544c96b36c3d01cedf7caa332359d6f1d83567014
 * platform  lab-8  sha256 60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752
 * processor Intel(R) Xeon(R) CPU E5320 @ 1.86GHz
 * cores     8, numbers up to 7
 * tool      perseus VERSION
 */
/*
 * Deviation from MISRA C:2012:
 *   D1  Rule 1.2  __thread is an extension of the compiler: C11 _Thread_local would
 *                 deviate from Rule 1.4
 */
#include "perseus_triggers.h"

#include <stdbool.h>
#include <stdint.h>

#include "perseus_platform_linux.h"

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

struct perseus_status perseus_status = {perseus_thread_table,
					PERSEUS_MACHINE_UNCHECKED,
					0u,
					0u,
					0u,
					0u,
					0u,
					0u,
					0u,
					0u,
					0u,
					0u,
					0u,
					0u,
					0u,
					0u};

/* Creations so far by a creator at a site, kept at the row of the first such thread. */
static uint32_t perseus_created[PERSEUS_THREADS];

static __thread uint32_t perseus_instance = PERSEUS_NO_THREAD; /* D1 */
static __thread uint32_t perseus_site = PERSEUS_NO_SITE;       /* D1 */

/* ---- settings: every outcome is counted, none stops the program ----------- */

static void perseus_note(uint32_t *counter, uint32_t error, uint32_t value)
{
	perseus_platform_count(counter);
	perseus_platform_store(&perseus_status.last_error, error);
	perseus_platform_store(&perseus_status.last_value, value);
}

static void perseus_pin(uint32_t core)
{
	uint32_t error = 0u;

	if (perseus_status.machine != PERSEUS_MACHINE_PLANNED) {
		perseus_platform_count(&perseus_status.suppressed);
	} else {
		switch (perseus_platform_pin(core, &error)) {
		case PERSEUS_SET:
			perseus_platform_count(&perseus_status.pins);
			break;
		case PERSEUS_NOT_HELD:
			perseus_note(&perseus_status.pins_not_held, error, core);
			break;
		case PERSEUS_OUTSIDE:
			perseus_note(&perseus_status.pins_outside, error, core);
			break;
		case PERSEUS_REFUSED:
		default:
			perseus_note(&perseus_status.pins_refused, error, core);
			break;
		}
	}
}

static void perseus_step(uint32_t domain, uint32_t khz)
{
	uint32_t error = 0u;

	if (perseus_status.machine != PERSEUS_MACHINE_PLANNED) {
		perseus_platform_count(&perseus_status.suppressed);
	} else {
		switch (perseus_platform_step(domain, khz, &error)) {
		case PERSEUS_SET:
			perseus_platform_count(&perseus_status.steps);
			break;
		case PERSEUS_NOT_HELD:
			perseus_note(&perseus_status.steps_not_held, error, khz);
			break;
		case PERSEUS_UNAVAILABLE:
			perseus_note(&perseus_status.steps_unavailable, error, khz);
			break;
		case PERSEUS_REFUSED:
		default:
			perseus_note(&perseus_status.steps_refused, error, khz);
			break;
		}
	}
}

/* ---- thread start ---------------------------------------------------------- */

static void perseus_place(uint32_t instance)
{
	uint32_t core = perseus_thread_table[instance].core;

	if (core != PERSEUS_NO_CORE) {
		perseus_pin(core);
	}
	switch (instance) {
	case THREAD_WORKER_1:
		/* trigger 0002: the critical path of phase 1 at the top step */
		perseus_step(DOMAIN_3, STEP_1853000);
		break;
	default: /* nothing else to set */
		break;
	}
}

static void perseus_check_machine(void)
{
	if (perseus_platform_start() == PERSEUS_SET) {
		perseus_status.machine = PERSEUS_MACHINE_PLANNED;
	} else {
		perseus_status.machine = PERSEUS_MACHINE_FOREIGN;
	}
}

static void perseus_start(void)
{
	static bool placed = false;

	if (perseus_status.machine == PERSEUS_MACHINE_UNCHECKED) {
		perseus_check_machine();
	}
	if (!placed) {
		if (perseus_platform_in_main() == 1u) {
			placed = true;
			perseus_instance = THREAD_MAIN;
			perseus_place(THREAD_MAIN);
			/* trigger 0001: only main and the logger run there [phase-000031] */
			perseus_step(DOMAIN_6, STEP_1587000);
			perseus_step(DOMAIN_7, STEP_1587000);
		}
	}
}

void perseus_program_start(void)
{
	perseus_start();
}

void perseus_thread_enter(uint32_t instance)
{
	perseus_instance = instance;
	perseus_platform_count(&perseus_status.started);
	perseus_place(instance);
}

void perseus_creator_return(uint32_t core)
{
	uint32_t error = 0u;

	if (perseus_platform_pin(core, &error) != PERSEUS_SET) {
		perseus_note(&perseus_status.pins_refused, error, core);
	}
}

/* ---- creation: the creator decides which instance the new thread is ------ */

void perseus_create_1_begin(void)
{
	perseus_site = CREATE_1;
}

void perseus_create_2_begin(void)
{
	perseus_site = CREATE_2;
}

void perseus_create_end(void)
{
	perseus_site = PERSEUS_NO_SITE;
}

/* Is row @row created by the calling thread at the present site? */
static bool perseus_is_family(uint32_t row)
{
	bool same = false;

	if (perseus_thread_table[row].creator == perseus_instance) {
		if (perseus_thread_table[row].site == perseus_site) {
			same = true;
		}
	}
	return same;
}

/* The first row of such threads; PERSEUS_NO_THREAD if the plan knows none.  Row 0 is main, which nobody creates. */
static uint32_t perseus_family(void)
{
	uint32_t first = PERSEUS_NO_THREAD;
	uint32_t row;

	if (perseus_instance != PERSEUS_NO_THREAD) {
		for (row = PERSEUS_THREADS - 1u; row > 0u; row--) {
			if (perseus_is_family(row)) {
				first = row;
			}
		}
	}
	return first;
}

/* The row of the @ordinal-th of them. */
static uint32_t perseus_member(uint32_t ordinal)
{
	uint32_t child = PERSEUS_NO_THREAD;
	uint32_t row;

	for (row = PERSEUS_THREADS - 1u; row > 0u; row--) {
		if (perseus_is_family(row)) {
			if (perseus_thread_table[row].ordinal == ordinal) {
				child = row;
			}
		}
	}
	return child;
}

uint32_t perseus_creation_take(void)
{
	uint32_t child = PERSEUS_NO_THREAD;
	uint32_t family;

	perseus_start();
	family = perseus_family();
	if (family != PERSEUS_NO_THREAD) {
		child = perseus_member(perseus_created[family]);
		if (perseus_created[family] < UINT32_MAX) {
			perseus_created[family]++;
		}
	}
	if (child == PERSEUS_NO_THREAD) {
		perseus_platform_count(&perseus_status.unplanned);
	}
	return child;
}

void perseus_creation_undo(void)
{
	uint32_t family = perseus_family();

	perseus_platform_count(&perseus_status.not_created);
	if (family != PERSEUS_NO_THREAD) {
		if (perseus_created[family] > 0u) {
			perseus_created[family]--;
		}
	}
}

/* ---- trigger points ---------------------------------------------------------- */

/* One more visit of the calling thread; the counter stays at its largest value. */
static void perseus_visit(uint64_t *visits)
{
	if (*visits < UINT64_MAX) {
		(*visits)++;
	}
}

/* Is this visit number @first, or one of every @every after it? */
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
void perseus_trigger_0118(void)
{
	static __thread uint64_t visits = 0u; /* D1 */

	perseus_visit(&visits);
	switch (perseus_instance) {
	case THREAD_WORKER_0:
		/*
		 * trigger 0118, visit 1: alone in this phase, with the second level cache for
		 * itself [phase-000032,share-001274]
		 */
		if (visits == 1u) {
			perseus_pin(CORE_0);
		}
		break;
	case THREAD_WORKER_1:
		/* trigger 0119, visit 1: alone in this phase [phase-000032] */
		if (visits == 1u) {
			perseus_pin(CORE_1);
		}
		break;
	default: /* other threads keep their place */
		break;
	}
}

/* after the call of pthread_barrier_wait in worker, fir.c:97 */
void perseus_trigger_0120(void)
{
	static __thread uint64_t visits = 0u; /* D1 */

	perseus_visit(&visits);
	switch (perseus_instance) {
	case THREAD_WORKER_0:
		/*
		 * trigger 0120, visit 2 and every 2 after: back beside worker 1 for the next
		 * round [phase-000033]
		 */
		if (perseus_due(visits, 2u, 2u)) {
			perseus_pin(CORE_2);
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
