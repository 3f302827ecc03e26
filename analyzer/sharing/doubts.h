/* SPDX-License-Identifier: MIT */
/* Why a sharing run cannot say that it has seen all that costs time. */
#ifndef PERSEUS_ANALYZER_SHARING_DOUBTS_H
#define PERSEUS_ANALYZER_SHARING_DOUBTS_H

#include "analyzer/sharing/sharing.h"
#include "analyzer/time/notes.h"
#include "record/run.h"
#include "yaml/platform.h"

/* With less of the processor time that its threads could have used, a run says little of what it did not find. */
#define DOUBTS_TOGETHER 0.7

/* A line that moves at a harmful rate may be missed with this probability. */
#define DOUBTS_MISS 0.05

/*
 * Time in ns for which threads of a short run of @p could have used @cores cores side by side and had none, where
 * that is long enough for them to have been kept apart; else 0.
 */
double doubts_apart(const struct run_process *p, double cores);

/*
 * The processor time that the threads of @p had while several of them could
 * run, as a part (0 to 1) of what as many threads can use on @cores: below 1,
 * others used the cores.  Threads that wait can use none.  1 for one thread.
 */
double doubts_together(const struct run_process *p, double cores);

/* True if the run had one core, and threads of @p that could have run side by side took turns there. */
bool doubts_one_core(const struct run *run, const struct run_process *p);

/*
 * Add a sentence with its figure for each reason why @run is inconclusive: it
 * is incomplete, its threads hardly ran together, or its bursts saw too little.
 */
void doubts_find(struct notes *doubts, const struct run *run);

/* The same of processes that have memory in common; @joined has the threads of all. */
void doubts_processes(struct notes *doubts, const struct run *run, const struct run_process *joined);

/* The same where the threads of one of @n findings that matter had one core, unless that is said already. */
void doubts_one_core_of(struct notes *doubts, const struct sharing_finding *f, size_t n);

/* The same of prices: they were measured on a disturbed machine. */
void doubts_prices(struct notes *doubts, const struct platform *platform);

#endif
