/* SPDX-License-Identifier: MIT */
/* What the files that compute a summary share; nobody else includes it. */
#ifndef PERSEUS_REPORT_COLLECT_H
#define PERSEUS_REPORT_COLLECT_H

#include "lib/vec.h"
#include "report/summary.h"

/* Times of one (thread, site, callee), or of a thread's start routine. */
struct call_row {
	const struct run_process *process;
	const struct run_call_site *site; /* NULL: unknown, or a start routine */
	uint32_t number;                  /* process-wide number of the site */
	uint32_t thread;
	const char *callee; /* assembler name */
	bool starts;
	uint64_t calls, timed;
	double self_ns, total_ns, min_ns, max_ns;
	const struct prs_call *call; /* for its histogram, NULL */
};
struct row_list VEC(struct call_row);

/* Waits of one thread by object, site and who was waited for. */
struct wait_row {
	const struct run_process *process;
	uint64_t object;
	uint32_t kind, site;    /* kind 0: a call that blocks in the kernel */
	const char *callee;     /* of kind 0: assembler name, else NULL */
	const char *who, *whom; /* interned; whom may be NULL */
	uint64_t count;
	double ns;
};
struct wait_list VEC(struct wait_row);

/* A copy of @name that the summary owns; equal names give the same pointer. */
const char *summary_name(struct report_summary *s, const char *name);

/* How people write the function or variable @asm_name; owned by the run or the summary. */
const char *pretty_name(struct report_summary *s, const char *asm_name);

/* How long thread @t was there, ticks. */
uint64_t thread_life(const struct run_process *p, const struct run_thread *t);

/* True if an event of this kind is a wait. */
bool is_wait(uint32_t kind);

/*
 * The rows of one thread; fills its line of the thread table and the sums of
 * the summary.  Calls that block in the kernel are added to @waits.
 */
void collect_thread(struct report_summary *s, const struct run_process *p, const struct run_thread *t,
		    struct report_thread *line, struct row_list *rows, struct wait_list *waits);

/* Who a thread is to people: its start routine, "main", or its kernel name; @asm_name may get NULL. */
const char *thread_name(struct report_summary *s, const struct run_process *p, const struct run_thread *t,
			const char **asm_name);

/* Rows to functions and sites, sorted by self time. */
void merge_rows(struct report_summary *s, struct row_list *rows);

/* Fill s->waits from @rows and the events of all threads; thread names must be known. */
void collect_waits(struct report_summary *s, struct wait_list *rows);

#endif
