/* SPDX-License-Identifier: MIT */
/* What the files that compute a summary share; nobody else includes it. */
#ifndef PERSEUS_REPORT_TIME_COLLECT_H
#define PERSEUS_REPORT_TIME_COLLECT_H

#include "lib/vec.h"
#include "report/time/types.h"

/* Times of one (thread, site, callee), or of a thread's start routine. */
struct call_row {
	const struct run_process *process;
	const struct run_call_site *site; /* NULL: unknown, or a start routine */
	uint32_t number;                  /* process-wide number of the site */
	uint32_t thread;
	const char *callee;            /* assembler name */
	const struct run_module *home; /* that defines it, NULL: none of those with tables */
	bool starts;
	bool about; /* of an indirect call that is sampled: `calls' is an estimate, exact in sum over its callees */
	uint64_t calls, timed;
	double least, most; /* calls, if they are an estimate */
	double self_ns, total_ns, min_ns, max_ns;
	double span_ns; /* self_ns with what was taken off it for standing in line: as the clock has it */
	double cycles;  /* of its own, where the run counted "cycles" */
	const struct rec_call *call; /* for its histogram, NULL */
};
struct row_list VEC(struct call_row);

/* Waits of one thread by object, site and who was waited for. */
struct wait_row {
	const struct run_process *process;
	uint64_t object;
	uint32_t kind, site;    /* kind 0: a call that blocks in the kernel */
	uint32_t inner;         /* the site that waits, where @site is the one round it that is shown */
	const char *callee;     /* of kind 0: assembler name, else NULL */
	const char *who, *whom; /* interned; whom may be NULL */
	uint64_t count;
	double ns;
	double max_ns;
	uint64_t caller, pair; /* as struct prs_wait */
	uint64_t first;        /* ticks of its process */
	uint32_t thread, other;
	uint32_t open; /* waits that had not ended */
	int fd;
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

/* Assembler name of the callee of a call record, whose site is @site (NULL: not in the tables). */
const char *collect_callee(struct report_summary *s, const struct run_process *p, const struct rec_call *c,
			   const struct run_call_site *site);

/* What the site tables know of the function @name of module @home (NULL: of any), NULL: nothing. */
const struct run_function *collect_function(const struct run *run, const struct run_module *home,
					    const char *name);

/* The module whose function @name the call site @site (PRS_NO_SITE: a thread's start) means, NULL: not known. */
const struct run_module *collect_home(const struct run_process *p, uint32_t site, const char *name);

/*
 * True for a call that blocks in the kernel and that the record does not tell
 * of: flock, and from before minor 1 poll, waitpid, ...  What the runtime
 * watches has waits of its own, and the rest of such a call is work.
 */
bool collect_blocks(const struct run *run, const struct run_process *p, const struct run_call_site *site);

/*
 * The rows of one thread, @full its name with its number; fills its line of the thread table and the sums of
 * the summary.  Calls that block in the kernel are added to @waits.
 */
void collect_thread(struct report_summary *s, const struct run_process *p, const struct run_thread *t,
		    const char *full, struct report_thread *line, struct row_list *rows,
		    struct wait_list *waits);

/*
 * Who a thread is to people, without a number; @asm_name: the function whose
 * own code its time outside of calls is, or NULL; @called: as for thread_routine().
 */
const char *thread_name(struct report_summary *s, const struct run_process *p, const struct run_thread *t,
			const char **asm_name, bool *called);

/* Rows to functions and sites, sorted by self time. */
void merge_rows(struct report_summary *s, struct row_list *rows);

#endif
