/* SPDX-License-Identifier: MIT */
/* How long the threads of a process run, and run side by side: what pairs are weighed with. */
#ifndef PERSEUS_ANALYZER_PAIRS_TIMES_H
#define PERSEUS_ANALYZER_PAIRS_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/lines/lines.h"
#include "record/cores/cores.h"
#include "record/run.h"
#include "yaml/platform.h"

/* A thread has this part of its time for itself, whatever its probes are said to take. */
#define LEAST_OWN 0.02

/* Times of the threads of one process, and of the same instances in the timing run. */
struct pair_times {
	const struct run *run;
	const struct run_process *p;
	double *cpu_ns; /* by thread; of the timing run if it has the instance */
	double *run_ns; /* by thread, of this run */
	double *cycles; /* the same as core cycles */
	struct line_pace *pace;
	double busy; /* threads that use the processor for a good part of their life */
	double cores;
	double asleep_ns;  /* of the run that gives the times */
	double khz;        /* of a core in the run that gives the times */
	bool native;       /* they are a timing run's */
	bool busy_machine; /* the threads hardly ran side by side in the sharing run */
	struct core_looks looks;
};

/*
 * Fill @t for process @p of sharing run @run.  @timing: a timing run of the same program, whose times are
 * taken where it has the thread, or NULL; @pf: the machine that is priced, or NULL; @busy: the threads
 * hardly ran side by side.  The caller releases @t.
 */
void pair_times_make(struct pair_times *t, const struct run *run, const struct run_process *p,
		     const struct run *timing, const struct platform *pf, bool busy);

/*
 * Without a timing run: what the probes at lines in dispute took is known from
 * their number, and is not the program's time.
 */
void pair_times_unprobed(struct pair_times *t, const struct line_uses *u);

/*
 * How much of the shorter life two threads run at the same time on different
 * cores: the overlap of their lives, times the chance that the other has a
 * core of its own while there are more busy threads than cores.
 */
double pair_times_together(const struct pair_times *t, uint32_t a, uint32_t b);

/* From the start of a thread to its end, ns; 0: not known. */
double pair_times_life_ns(const struct run_process *p, uint32_t thread);

void pair_times_release(struct pair_times *t);

#endif
