/* SPDX-License-Identifier: MIT */
/*
 * Triggers of `radar`, written by perseus codegen.  Do not edit: change the plan and generate
 * again; the same plan and tool version give this file byte for byte.  See perseus_triggers.h
 * for the plan.
 */
#include "perseus_triggers.h"

#include <stdint.h>

#include "perseus_support.h"

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

/* What is set at the start of the calling thread, which is @self. */
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
