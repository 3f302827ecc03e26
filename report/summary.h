/* SPDX-License-Identifier: MIT */
/*
 * What a run says at a glance, computed once and printed in several forms.
 *
 * All times are nanoseconds of thread time: the lifetimes of the threads of
 * all processes, added up, are the whole (thread_ns).  Every nanosecond of it
 * is in exactly one of four places: the self time of a function, waiting,
 * starting code of a thread (which is the self time of its start routine),
 * or outside instrumented code.  Calls that were only counted are charged at
 * the mean of their timed ones.
 */
#ifndef PERSEUS_REPORT_SUMMARY_H
#define PERSEUS_REPORT_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "record/run.h"

/* A function as seen by the call sites that call it. */
struct report_function {
	const char *name; /* pretty, owned by the run or by the summary */
	const char *asm_name;
	const char *file; /* of its definition, else of its busiest call site; NULL */
	uint32_t line;
	uint64_t calls;  /* exact */
	uint64_t timed;  /* of these, with a time */
	double self_ns;  /* without the calls made inside and without waiting */
	double total_ns; /* inclusive; recursion counts each level */
	double p50_ns;   /* from powers of two, interpolated; 0: nothing timed */
	double p99_ns;
	double max_ns;
	bool at_call; /* file and line are of a call: the tables do not know the definition */
	bool starts;  /* a thread's start routine or main: no call site calls it */
	uint64_t hist[PRS_HIST_BUCKETS]; /* ticks, as in struct prs_call */
};

/* One call site (with its callee, if indirect), over all threads. */
struct report_site {
	const struct run_call_site *site; /* NULL: not in the site tables */
	const char *callee;               /* as people write it */
	uint64_t calls, timed;
	double self_ns, total_ns, p50_ns, p99_ns, max_ns, min_ns;
	uint32_t threads; /* that called it */
	uint64_t hist[PRS_HIST_BUCKETS];
};

/* Waits of one kind on one object by one function's threads. */
struct report_wait {
	char id[16];        /* wait-NNNNNN */
	uint32_t kind;      /* enum prs_event_kind; 0: a call that blocks in the kernel */
	const char *who;    /* name of the waiting threads */
	const char *object; /* name of the variable, for kind 0 of the callee, or NULL */
	const char *whom;   /* name of the threads waited for (join, barrier), or NULL */
	const char *file;   /* of the waiting call, NULL */
	uint32_t line;
	uint64_t count;
	double ns;
};

/* One thread. */
struct report_thread {
	const struct run_process *process;
	uint32_t index;
	const char *name; /* start routine, "main", or the kernel's name */
	double life_ns, cpu_ns, wait_ns;
	bool cpu_known; /* a killed program leaves no last reading; cpu_ns is 0 then */
	uint64_t calls, switches;
	bool alive; /* no end was seen */
};

struct report_summary {
	const struct run *run;
	double wall_ns;   /* of the run: manifest, else the longest process */
	double thread_ns; /* the whole */
	double function_ns, wait_ns, outside_ns;
	double cpu_ns;   /* of the threads where it is known, as the kernel counted it */
	double busy_ns;  /* of the same threads: their lives without waiting */
	double own_ns;   /* thread_ns less what was spent in line for a core */
	double overhead; /* estimated share of own_ns, 0..1 */
	uint64_t calls, timed, n_threads;
	uint64_t lost_blocks, lost_events, lost_lines, lost_notes, lost_threads, lost_calls;
	uint64_t open;             /* calls that had not returned at the end: they have no time */
	uint64_t skipped;          /* calls and accesses without a probe */
	uint64_t unprobed;         /* functions that cannot be probed */
	uint64_t by_request;       /* sites left out by attributes, patterns and rules */
	uint64_t tails;            /* tail calls that were made ordinary calls */
	uint64_t unlinked;         /* units whose link lacked the plugin (-flto) */
	uint64_t duplicate;        /* units for which two copies of the plugin were loaded */
	uint64_t lines, transfers; /* sharing: lines that moved, and how often */
	bool sharing;
	struct report_function *functions; /* by self time, falling */
	size_t n_functions;
	struct report_site *sites; /* by self time, falling */
	size_t n_sites;
	struct report_wait *waits; /* by time, falling */
	size_t n_waits;
	struct report_thread *threads; /* by process and index */
	size_t n_threads_listed;
	char **names; /* strings the summary owns, each once */
	size_t n_names;
};

/* Estimated reads of the clock that the probes of @calls calls cost, @timed of them timed. */
double report_probe_reads(uint64_t calls, uint64_t timed);

enum report_sort { REPORT_BY_SELF, REPORT_BY_TOTAL, REPORT_BY_CALLS };

/* What `perseus report` was asked for. */
struct report_view {
	size_t rows; /* of functions, of call sites, of waits */
	enum report_sort sort;
	bool threads; /* show the table of threads */
};

/* Compute a summary.  It points into @run, which must outlive it; release with report_summary_release(). */
void report_summarise(struct report_summary *s, const struct run *run);
void report_summary_release(struct report_summary *s);

/*
 * Quantile @q (0..1) of a histogram in ticks, interpolated inside its power
 * of two and kept within [@min, @max]; 0 if the histogram is empty.
 */
double report_quantile(const uint64_t hist[PRS_HIST_BUCKETS], double q, double min, double max);

/* "barrier", "mutex", ...: what a thread waits at, for an event kind. */
const char *report_wait_kind(uint32_t kind);

/* The text and JSON of `perseus report`, appended to @out. */
void report_text(const struct report_summary *s, const struct report_view *view, struct strbuf *out);
void report_json(const struct report_summary *s, const struct report_view *view, struct strbuf *out);

/*
 * The 15 lines at the end of `perseus record`, appended to @out: may I trust
 * this run, where does the time go, what is wrong, what next.  Returns 0, or
 * a negative errno with @err set and @out unchanged.
 */
int report_summary_text(const struct run *run, struct strbuf *out, struct err *err);

#endif
