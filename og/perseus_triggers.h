/* SPDX-License-Identifier: MIT */
/*
 * Constants of the triggers of `pairs`, written by perseus codegen.  Do not edit: change the plan and generate
 * again; the same plan and tool version give this file byte for byte.
 *
 * plan      pairs-call.yaml  sha256 30045abe0383c29dbab93d1f946ae8dd92c89698d9af5b7a4fa37ad32dc68299
 * program   pairs
 * build id  00112233445566778899aabbccddeeff00112233
 * sites     sha256 0000000000000000000000000000000000000000000000000000000000000000
 * model     sha256 ee43cc391279d65cc478ab4737424e886f1ea2f0096b95b01d3b55c589129b38
 * platform  xeon-e5320  sha256 ea28fc50a7f3cf458c6c418eaf998e30d8899be983511a70acc68cdd25249c92
 * processor Intel(R) Xeon(R) CPU E5320 @ 1.86GHz
 * cores     8, numbers up to 7
 * kind      start
 * back end  linux
 * tool      perseus 0.1.0
 */
#ifndef PERSEUS_TRIGGERS_GENERATED_H
#define PERSEUS_TRIGGERS_GENERATED_H

#include <stdint.h>

#define PERSEUS_PLAN \
	"30045abe0383c29dbab93d1f946ae8dd92c89698d9af5b7a4fa37ad32dc68299"
#define PERSEUS_PLAN_30045abe0383c29d (1u)
#define PERSEUS_THREADS (9u)

/* A source that only calls the triggers defines this, so that no name meets one of its own. */
#ifndef PERSEUS_CALLS_ONLY

/* Thread instances of the plan. */
#define THREAD_MAIN (0u)
#define THREAD_COUNT_0 (1u)
#define THREAD_COUNT_1 (2u)
#define THREAD_COUNT_2 (3u)
#define THREAD_COUNT_3 (4u)
#define THREAD_COUNT_4 (5u)
#define THREAD_COUNT_5 (6u)
#define THREAD_COUNT_6 (7u)
#define THREAD_COUNT_7 (8u)

/* Call sites that create threads. */
#define CREATE_1 (1u) /* pthread_create in main, gate.c:10 */

/* Cores, by the system's number. */
#define CORE_0 (0u)
#define CORE_1 (1u)
#define CORE_2 (2u)
#define CORE_3 (3u)
#define CORE_4 (4u)
#define CORE_5 (5u)
#define CORE_6 (6u)
#define CORE_7 (7u)
#define PERSEUS_NO_CORE (0xFFFFFFFFu) /* its placement is left alone */

/* Parts of perseus_support.h that the plan needs. */
#define PERSEUS_SUPPORT_SETTLES_PLACE_SITES_FAMILY (1u)

/* Cores that the plan binds to. */
/*@ predicate perseus_core(integer c) =
  @   c < 8 && (0 <= c <= 7); */
#endif /* PERSEUS_CALLS_ONLY */

#include "perseus_status.h"

/*
 * What a thread remembers: written by that thread only.  The gap keeps what two
 * threads write off one cache line.
 */
#define PERSEUS_GAP (128u)

struct perseus_thread_state {
	uint32_t site; /* CREATE_n while it creates there */
	uint8_t gap[PERSEUS_GAP];
};

#ifdef __cplusplus
extern "C" {
#endif

extern struct perseus_thread_state perseus_state[PERSEUS_THREADS];

/* Round the calls that create threads. */
void perseus_create_1_begin(void);
void perseus_create_end(void);

#ifdef __cplusplus
}
#endif

#endif
