/* SPDX-License-Identifier: MIT */
/*
 * Phase boundaries of one run: global synchronisation events, that is,
 * creations and joins that change the set of live threads, and releases of
 * barriers that all working threads pass.
 */
#ifndef PERSEUS_ANALYZER_TIME_BOUNDS_H
#define PERSEUS_ANALYZER_TIME_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/time/cpu.h"
#include "analyzer/time/notes.h"
#include "analyzer/time/threads.h"

/* Boundaries closer than this cannot be used to move threads: they merge. */
#define BOUND_GAP_NS 1000000u

/* More boundaries than this and the frequent ones are passed over. */
#define BOUND_MAX 4096u

enum bound_kind { BOUND_START, BOUND_CREATE, BOUND_JOIN, BOUND_BARRIER };

/* A thread that took part in the event: where exactly it passed. */
struct bound_cut {
	uint32_t thread;               /* index in the process */
	const struct prs_event *event; /* after it the thread goes on */
};

struct bound {
	uint64_t tick;
	enum bound_kind kind;
	uint32_t thread; /* that created, joined, or arrived last */
	uint32_t site;   /* process-wide call number or PRS_NO_SITE */
	uint64_t object; /* of a barrier, else 0 */
	struct bound_cut *cuts;
	size_t n_cuts;
};

struct bounds {
	struct bound *at; /* ascending ticks; [0] is the start of the process */
	size_t n;
	size_t cap;
};

/* One process with what is needed of its threads. */
struct timeline {
	const struct run *run;
	const struct run_process *p;
	const struct instances *ins;
	size_t run_number;    /* in ins->maps */
	struct cpu_line *cpu; /* by thread index */
	int cycles;           /* number of the event that counted core cycles, -1: CPU time has to do */
};

/* Make the CPU lines of all threads of a process; cycles is -1. */
void timeline_make(struct timeline *tl, const struct run *run, const struct run_process *p,
		   const struct instances *ins, size_t run_number);
void timeline_release(struct timeline *tl);

/* Find the boundaries; sources that were passed over are said in @notes. */
void bounds_find(struct bounds *b, const struct timeline *tl, struct notes *notes);
void bounds_release(struct bounds *b);

/* "start", "create", "join", "barrier". */
const char *bound_kind_name(enum bound_kind kind);

/* The cut of @thread in @b, or NULL if it took no part. */
const struct prs_event *bound_event(const struct bound *b, uint32_t thread);

/* When @thread passed @b: the end of its own event, else the tick of @b. */
uint64_t bound_tick(const struct bound *b, uint32_t thread);

/* CPU time (ns) that @thread had used when it passed @b. */
uint64_t bound_cpu(const struct timeline *tl, const struct bound *b, uint32_t thread);

#endif
