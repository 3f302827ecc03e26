/* SPDX-License-Identifier: MIT */
/*
 * Triggers of `pairs`, written by perseus codegen.  Do not edit: change the plan and generate
 * again; the same plan and tool version give this file byte for byte.  See perseus_triggers.h
 * for the plan.
 */
#include "perseus_triggers.h"

#include <stdint.h>

#include "perseus_support.h"

#ifndef PERSEUS_PLAN_30045abe0383c29d
#error "perseus_triggers.h is of another plan: generate all files again"
#endif

const char perseus_plan_sha256[65] = PERSEUS_PLAN;

/* Creator, creating site, ordinal there, core at the start. */
const struct perseus_thread_row perseus_thread_table[PERSEUS_THREADS] = {
	/* main */
	[THREAD_MAIN] = {PERSEUS_NO_THREAD, PERSEUS_NO_SITE, 0u, PERSEUS_NO_CORE},
	/* count: uses a cache line of `pairs` with count (thread 2): both behind one cache [share-000001] */
	[THREAD_COUNT_0] = {THREAD_MAIN, CREATE_1, 0u, CORE_0},
	/* count: uses a cache line of `pairs` with count (thread 1): both behind one cache [share-000001] */
	[THREAD_COUNT_1] = {THREAD_MAIN, CREATE_1, 1u, CORE_1},
	/* count: uses a cache line of `pairs` with count (thread 4): both behind one cache [share-000002] */
	[THREAD_COUNT_2] = {THREAD_MAIN, CREATE_1, 2u, CORE_2},
	/* count: uses a cache line of `pairs` with count (thread 3): both behind one cache [share-000002] */
	[THREAD_COUNT_3] = {THREAD_MAIN, CREATE_1, 3u, CORE_3},
	/* count: uses a cache line of `pairs` with count (thread 6): both behind one cache [share-000003] */
	[THREAD_COUNT_4] = {THREAD_MAIN, CREATE_1, 4u, CORE_4},
	/* count: uses a cache line of `pairs` with count (thread 5): both behind one cache [share-000003] */
	[THREAD_COUNT_5] = {THREAD_MAIN, CREATE_1, 5u, CORE_5},
	/* count: uses a cache line of `pairs` with count (thread 8): both behind one cache [share-000004] */
	[THREAD_COUNT_6] = {THREAD_MAIN, CREATE_1, 6u, CORE_6},
	/* count: uses a cache line of `pairs` with count (thread 7): both behind one cache [share-000004] */
	[THREAD_COUNT_7] = {THREAD_MAIN, CREATE_1, 7u, CORE_7},
};

/* What is set at the start of the calling thread, which is @self. */
static void perseus_place(uint32_t self)
{
	switch (self) {
	case THREAD_COUNT_0:
		perseus_pin(perseus_thread_table[THREAD_COUNT_0].core);
		break;
	case THREAD_COUNT_1:
		perseus_pin(perseus_thread_table[THREAD_COUNT_1].core);
		break;
	case THREAD_COUNT_2:
		perseus_pin(perseus_thread_table[THREAD_COUNT_2].core);
		break;
	case THREAD_COUNT_3:
		perseus_pin(perseus_thread_table[THREAD_COUNT_3].core);
		break;
	case THREAD_COUNT_4:
		perseus_pin(perseus_thread_table[THREAD_COUNT_4].core);
		break;
	case THREAD_COUNT_5:
		perseus_pin(perseus_thread_table[THREAD_COUNT_5].core);
		break;
	case THREAD_COUNT_6:
		perseus_pin(perseus_thread_table[THREAD_COUNT_6].core);
		break;
	case THREAD_COUNT_7:
		perseus_pin(perseus_thread_table[THREAD_COUNT_7].core);
		break;
	case THREAD_MAIN:
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
