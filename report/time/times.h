/* SPDX-License-Identifier: MIT */
/* The times of one thread's calls, cleaned of what is not theirs; nobody outside of report/ includes it. */
#ifndef PERSEUS_REPORT_TIME_TIMES_H
#define PERSEUS_REPORT_TIME_TIMES_H

#include "record/run.h"

#define TIMES_ABOUT_PATH   1 /* a sampled site with several records: paths or callees */
#define TIMES_ABOUT_CALLEE 2 /* ... with several callees */

/*
 * Ticks.  self[] + wait[] over all calls, rest, loose_wait, line and probes add up
 * to the life of the thread.  Arrays are by index of thread->calls.
 */
struct thread_times {
	const struct run_process *process;
	const struct run_thread *thread;
	double *self;     /* without calls inside, waiting and probes; estimated for untimed calls */
	double *total;    /* with calls inside and waiting, without probes; recursion counts each level */
	double *measured; /* of the timed calls, with those that had not returned; nothing taken off */
	double *wait;     /* spent waiting in the call itself */
	uint8_t *about; /* TIMES_ABOUT_*: what of the count is estimated; those of a site are exact in sum */
	double loose_wait; /* waiting that belongs to no call */
	double waited;     /* all waiting */
	double probes;     /* what the probes themselves took */
	double rest;       /* what no call accounts for: the start routine's */
	double line;       /* in line for a core, as far as it is in no call's time: */
	double *in_line;   /* ... what was taken off self[] for it, */
	double rest_line;  /* ... and off rest */
	double life;
	double slow; /* what a tick of CPU time took, at least 1: more where threads stood in line for cores */
	uint32_t *rank; /* index in thread->calls of each of thread->records */
	uint32_t *
		callers; /* by index of thread->calls: who called it, see callers_find(); NULL before minor 1 */
};

/* Compute them; release with thread_times_release(). */
void thread_times_make(struct thread_times *x, const struct run_process *p, const struct run_thread *t);
void thread_times_release(struct thread_times *x);

/* A thread that was killed has no reading of its end, only one of its last event, which may be long before. */
bool thread_cpu_known(const struct run_process *p, const struct prs_thread *t);

/* Count the own time of call @i as waiting: it blocks in the kernel. */
void thread_times_blocked(struct thread_times *x, size_t i);

#endif
