/* SPDX-License-Identifier: MIT */
/*
 * What of the recorded times was waiting for shared cache lines.
 *
 * Whether two threads that use a line run at the same moment is chance where
 * the system places them.  So their CPU time differs from run to run, and
 * always for both alike: each holds the other one up.  That is what this
 * looks for: a thread's excess is its CPU time above its least over all runs;
 * where both sides of a conflict have one, and of the same size, the smaller
 * of the two is taken for waiting.  What stays the same in all runs is not
 * seen, so this is a lower limit.
 *
 * It is not taken for waiting
 *   - what all have in common that have nothing to do with each other (other
 *     input, another frequency); so with one group of threads that share
 *     lines, and nobody beside it, nothing is;
 *   - the excess of a thread that did not make the same number of calls in
 *     all runs: it did other work;
 *   - more than the accesses to the line can have cost: it was other work;
 *   - time without CPU: sleep, input and output, others on the machine.
 */
#ifndef PERSEUS_ANALYZER_LOCKS_WAITING_H
#define PERSEUS_ANALYZER_LOCKS_WAITING_H

#include "analyzer/time/phases.h"
#include "yaml/model.h"

struct waiting {
	size_t n_runs, n_threads;
	double *cycles;  /* by run and thread instance: run * n_threads + instance */
	double *waited;  /* of these, likewise */
	uint64_t *calls; /* made, likewise; filled by the caller before waiting_find() */
};

/* Space for @n_runs x @n_threads, all 0; released by waiting_release(). */
void waiting_init(struct waiting *w, size_t n_runs, size_t n_threads);
void waiting_release(struct waiting *w);

/* Fill cycles from @runs (w->n_runs) and waited for the @n conflicts between instances. */
void waiting_find(struct waiting *w, const struct intervals *runs, const struct model_conflict *conflicts,
		  size_t n);

/* Take what was waited out of the work of @runs, from each part its share. */
void waiting_take_out(const struct waiting *w, struct intervals *runs);

/*
 * By how much @run took longer for it on @cores, ns at @khz: the waiting dealt
 * out to as many cores as its threads can use, or the thread that waited most.
 */
double waiting_longer_ns(const struct waiting *w, size_t run, double cores, double khz);

#endif
