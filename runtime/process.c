/* SPDX-License-Identifier: MIT */
/*
 * The process: when recording starts and ends, and what fork does to it.
 *
 * Nothing happens before the first instrumented object attaches: a program
 * without one leaves no file.  That may be before our own constructor runs,
 * so there is no set-up anywhere else.
 */
#include <pthread.h>
#include <stdlib.h>

#include "runtime/attach.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/file.h"
#include "runtime/base/lock.h"
#include "runtime/space.h"
#include "runtime/calls/budget.h"
#include "runtime/calls/call.h"
#include "runtime/calls/counters.h"
#include "runtime/calls/trace.h"
#include "runtime/control.h"
#include "runtime/memory/burst.h"
#include "runtime/memory/shared.h"
#include "runtime/memory/sharing.h"
#include "runtime/process.h"
#include "runtime/thread.h"

#define KEYS_INLINE 32u /* pthread keys below this need no memory of libc */

/* ---- start ----------------------------------------------------------------------- */

static bool read_environment(void)
{
	if (!env_read())
		return false;
	budget_ask((uint32_t)env_number(PRS_ENV_BUDGET, 0, 1000000));
	sharing_ask();
	counters_ask();
	return true;
}

/* From here on nothing is unloaded for use again. */
static void at_exit(void)
{
	rt_store(&rt.exiting, 1);
	process_end();
}

static void hook_process(void)
{
	pthread_key_t key;

	if (!pthread_key_create(&key, thread_key_end)) {
		rt.key = key;
		rt.have_key = key < KEYS_INLINE;
		if (!rt.have_key)
			pthread_key_delete(key);
	}
	pthread_atfork(process_fork_begin, process_fork_end, process_forked);
	at_quick_exit(at_exit);
}

/* Enter the start of the run into the header; the first start measures what a timed call costs. */
static void mark_start(struct prs_rec_header *h)
{
	clock_mark_start(h);
	if (!rt.pair_ticks)
		call_calibrate();
	budget_start(h);
	h->pair_ticks = rt.pair_ticks;
	h->own_ticks = rt.own_ticks;
	file_seal_start(h);
}

/* A record that says that there is no room for one. */
static void refuse_space(void)
{
	rt.map_max = SPACE_RECORD_MIN;
	if (!file_open())
		return;
	file_note_off(PRS_OFF_SPACE);
	mark_start(rt.header);
	clock_mark_end(rt.header);
	rt_publish(&rt.header->state, PRS_REC_CLOSED);
	file_drop();
}

static bool process_start(void)
{
	if (!arch_own_free() || !read_environment() || !control_open() || control_word() == PRS_CONTROL_STOP)
		return false;
	if (!space_choose()) {
		refuse_space();
		return false;
	}
	rt.slots_end = sizeof(struct prs_block);
	clock_choose();
	trace_setup();
	if (!thread_setup() || (rt.purpose == PRS_PURPOSE_SHARING && !sharing_setup()))
		return false;
	if (!file_open())
		return false;
	sharing_describe(rt.header);
	return true;
}

/* process_start() was successful; under rt_lock(). */
static enum rt_state first_state(void)
{
	if (control_word() != PRS_CONTROL_OPEN)
		return RT_WAITING;
	mark_start(rt.header);
	return RT_ACTIVE;
}

/* A process that cannot be told to begin or stop says so. */
static void process_watch(void)
{
	if (control_present() && !control_watch())
		file_note_off(PRS_OFF_START);
}

bool process_activate(void)
{
	uint64_t old;
	bool first = false;

	if (rt_acquire(&rt.state) == RT_UNKNOWN) {
		rt_lock(&old);
		if (rt.state == RT_UNKNOWN) {
			first = process_start();
			rt_publish(&rt.state, first ? first_state() : RT_DORMANT);
		}
		rt_unlock(&old);
	}
	if (first) {
		hook_process();
		if (thread_touch())
			thread_note_stack(rt_self);
		process_watch();
	}
	return rt_attached();
}

void process_begin(void)
{
	uint64_t old;

	rt_lock(&old);
	if (rt.state == RT_WAITING) {
		mark_start(rt.header);
		thread_keep_main();
		rt_publish(&rt.state, RT_ACTIVE);
		attach_open();
	}
	rt_unlock(&old);
}

/* ---- end ---------------------------------------------------------------------------- */

void process_close(void)
{
	/* A vfork child runs in our memory, but the record is its parent's. */
	if (!rt_recording() || sys_getpid() != rt.pid)
		return;
	thread_snapshot();
	trace_close();
	clock_mark_end(rt.header);
	rt_publish(&rt.header->state, PRS_REC_CLOSED);
}

void process_reopen(void)
{
	if (!rt_recording() || sys_getpid() != rt.pid)
		return;
	rt.header->tsc_end = rt.header->mono_end_ns = 0;
	rt_publish(&rt.header->state, PRS_REC_RUNNING);
}

/* A record in which nothing was ever recorded. */
static void vanish(void)
{
	rt_publish(&rt.state, RT_DORMANT);
	sys_unlink(rt.path);
}

void process_end(void)
{
	uint64_t old;

	if (!rt_attached() || sys_getpid() != rt.pid)
		return;
	if (rt_recording()) {
		process_close();
		return;
	}
	rt_lock(&old);
	if (rt.state == RT_WAITING)
		vanish();
	rt_unlock(&old);
}

void process_stop(void)
{
	uint64_t old;

	if (!rt_attached() || sys_getpid() != rt.pid)
		return;
	process_close();
	burst_stop();
	shared_windows_stop();
	rt_lock(&old);
	if (rt.state == RT_WAITING)
		vanish();
	attach_silence();
	attach_sleep();
	rt_publish(&rt.state, RT_DORMANT);
	rt_unlock(&old);
}

/* ---- a process that locks itself in -------------------------------------------------- */

static uint32_t sealed_from; /* enum rt_state before the seal */

bool process_seal(void)
{
	uint64_t old;

	if (!rt_attached() || sys_getpid() != rt.pid)
		return false;
	process_close();
	burst_stop();
	shared_windows_stop();
	rt_lock(&old);
	sealed_from = rt.state;
	attach_silence();
	trace_leave();
	rt_publish(&rt.state, RT_DORMANT);
	rt_unlock(&old);
	file_note_off(PRS_OFF_SEALED);
	return true;
}

void process_unseal(void)
{
	uint32_t sealed = PRS_OFF_SEALED;
	uint64_t old;

	__atomic_compare_exchange_n(&rt.header->off_reason, &sealed, PRS_OFF_NONE, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	rt_lock(&old);
	rt_publish(&rt.state, sealed_from);
	if (sealed_from == RT_ACTIVE) {
		attach_speak();
		burst_go_on();
		if (sharing.n_shared)
			shared_windows_start();
	}
	rt_unlock(&old);
	process_reopen();
	if (control_word() == PRS_CONTROL_OPEN) /* it may have come meanwhile */
		process_begin();
}

/*
 * Of a shared runtime right behind those of the main program, which are the last
 * of the user's exit handlers.  atexit() would take one of the places that libc
 * has before it allocates more on the program's heap.
 */
static __attribute__((destructor)) void unloaded(void)
{
	at_exit();
}

/* ---- fork --------------------------------------------------------------------------- */

static uint64_t fork_signals; /* the mask before the lock, while fork() holds it */
static uint64_t fork_owner;   /* the thread that holds it */

/* A sealed process must not be asked for system calls that its own fork() does without. */
void process_fork_begin(void)
{
	uint64_t old;

	if (!rt_attached())
		return;
	rt_lock(&old);
	fork_signals = old;
	fork_owner = arch_thread_pointer();
	burst_pause();
}

bool process_forking(void)
{
	return fork_owner == arch_thread_pointer();
}

void process_fork_end(void)
{
	uint64_t old = fork_signals;

	if (!process_forking())
		return;
	fork_owner = 0;
	burst_resume();
	rt_unlock(&old);
}

static bool restart(void)
{
	if (control_word() == PRS_CONTROL_STOP || !file_open())
		return false;
	if (rt.purpose == PRS_PURPOSE_SHARING && !sharing_setup())
		return false;
	sharing_describe(rt.header);
	if (rt_recording())
		mark_start(rt.header);
	if (!attach_forked() || !thread_forked())
		return false;
	shared_forked();
	return true;
}

/*
 * Other threads' probes do not run here, and ours not before this returns:
 * the inherited mapping is never written.
 */
void process_forked(void)
{
	if (rt_attached() && sys_getpid() != rt.pid) {
		if (rt_self)
			call_fork_keep(rt_self);
		file_drop();
		rt.helpers = 0;
		burst_forked();
		shared_windows_forked();
		counters_forked();
		if (restart()) {
			process_watch();
		} else {
			attach_silence();
			rt_block = rt.dead;
			rt_self = NULL;
			rt_publish(&rt.state, RT_DORMANT);
		}
	}
	process_fork_end();
}
