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
#define PERSEUS_NO_CORE (0xFFFFFFFFu) /* its placement is left alone */

/* Parts of perseus_support.h that the plan needs. */
#define PERSEUS_SUPPORT_MOVES_STEPS_PLACE_SITES_FAMILY_DUE (1u)

/* Cores that the plan binds to. */
/*@ predicate perseus_core(integer c) =
  @   c < 8 && (0 <= c <= 3 || c == 7); */

/* Frequency domains and the steps that the plan sets there, kHz. */
/*@ predicate perseus_setting(integer d, integer khz) =
  @   (d == 2 && khz == 1587000) ||
  @   (d == 2 && khz == 1853000) ||
  @   (d == 3 && khz == 1853000) ||
  @   (d == 6 && khz == 1587000) ||
  @   (d == 7 && khz == 1587000); */
#endif /* PERSEUS_CALLS_ONLY */

#include "perseus_status.h"

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

extern struct perseus_thread_state perseus_state[PERSEUS_THREADS];

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
