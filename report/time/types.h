/* SPDX-License-Identifier: MIT */
/*
 * What a run says at a glance, computed once and printed in several forms.
 *
 * All times are nanoseconds of thread time: the lifetimes of the threads of
 * all processes, added up, are the whole (thread_ns).  Every nanosecond of it
 * is in exactly one of five places: the self time of a function, waiting,
 * starting code of a thread (which is the self time of its start routine),
 * unknown (outside_ns), or in the probes.  Calls that were only counted are charged at
 * the mean of their timed ones.
 */
#ifndef PERSEUS_REPORT_TIME_TYPES_H
#define PERSEUS_REPORT_TIME_TYPES_H

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
	uint64_t calls;     /* exact */
	double least, most; /* ... or between these, if about */
	uint64_t timed;     /* of these, with a time */
	double self_ns;     /* without the calls made inside and without waiting */
	double total_ns;    /* inclusive; recursion counts each level */
	double p50_ns;      /* from the histogram; 0: nothing timed */
	double p90_ns;
	double p99_ns;
	double max_ns;
	bool at_call; /* file and line are of a call: the tables do not know the definition */
	bool about;   /* calls is an estimate: some came from sampled indirect calls */
	bool starts;  /* a thread's start routine or main: no call site calls it */
	uint64_t hist[PRS_HIST_BUCKETS]; /* ticks, as prs_hist_index() */
};

/* One call site (with its callee, if indirect), over all threads. */
struct report_site {
	const struct run_call_site *site; /* NULL: not in the site tables */
	const char *callee;               /* as people write it */
	uint64_t calls, timed;
	double least, most; /* calls, if about */
	double self_ns, total_ns, p50_ns, p90_ns, p99_ns, max_ns, min_ns;
	bool about;        /* calls is an estimate, exact in sum over the callees of the site */
	double sum_ns;     /* of the timed calls, as measured */
	uint64_t switched; /* of these, interrupted */
	double switched_ns;
	uint32_t threads; /* that called it */
	uint32_t
		period; /* at the end one call in about this many was timed; of several records the largest */
	uint64_t hist[PRS_HIST_BUCKETS];
};

/* One thread, by name, that others waited for, and where it held or signalled what they waited at. */
struct report_whom {
	const char *name;
	const char *function; /* as people write it, NULL: not known */
	const char *file;
	uint32_t line;
	uint64_t count; /* waits for it */
	double ns;
	uint64_t holds; /* of a lock: so many of its holds were timed */
	double hold_ns; /* ... and their sum */
	uint64_t taken; /* of so many */
};

#define REPORT_OTHERS 4

/* A place in the source as people know it. */
struct report_place {
	const char *function, *file; /* NULL: not known */
	uint32_t line;
};

/* Waits of one kind on one object by one function's threads. */
struct report_wait {
	char id[16];        /* wait-NNNNNN */
	uint32_t kind;      /* enum prs_event_kind; 0: a call that blocks in the kernel */
	const char *who;    /* name of the waiting threads */
	const char *object; /* name of the variable, for kind 0 of the callee, or NULL */
	const char *pair;   /* the mutex of a condition, or NULL */
	const char *whom;   /* name of the threads waited for (join, barrier), or NULL */
	const char *file;   /* of the waiting call, NULL */
	uint32_t line;
	uint64_t count;
	double ns;
	const char *function;      /* that holds the waiting call, NULL */
	const char *from_function; /* ... and the one that called it where it waited longest, NULL */
	const char *from_file;
	uint32_t from_line;
	struct report_place others[REPORT_OTHERS]; /* some of these waits may be theirs instead */
	size_t n_others;
	struct report_whom *whoms; /* by time, falling; owned */
	size_t n_whoms;
	uint64_t taken; /* how often it was got at this place, waits or not; 0: not known */
	double max_ns;
	double object_ns; /* of all waits at this object */
	double life_ns;   /* of the threads that waited here */
	uint32_t threads; /* how many they are */
	uint32_t open;    /* ... and how many of them still waited at the end of the record */
	uint32_t objects; /* that have no name of their own and stand here for one; else 1 */
	bool outside;     /* for the world outside the program's threads: sleep, sockets, children */
};

/* A lock and how it is used; all places together. */
struct report_lock {
	uint32_t kind;
	const char *object; /* NULL: without a name */
	uint64_t taken, waits;
	double wait_ns;
	uint64_t holds; /* timed ones */
	double held_ns; /* all of them: each place's mean times its number; places without a timed one are left out */
	uint64_t held_of; /* acquisitions at places with a timed one */
	uint32_t threads;
	uint32_t objects;   /* that are called so */
	uint32_t processes; /* ... in so many */
};

/* One side of a queue. */
struct report_side {
	const char *name;   /* of its threads */
	const char *object; /* what it waits at, NULL */
	uint32_t kind;
	uint32_t threads;
	uint64_t count;
	double ns, life_ns;
};

/* Two groups of threads of which one makes what the other takes. */
struct report_queue {
	char id[16];        /* queue-NNNNNN */
	const char *object; /* the lock, pipe or semaphore between them, NULL */
	struct report_side producer, consumer;
	bool guessed;       /* which is which is not known: only one side ever waited, */
	bool one_condition; /* ... or both wait at one condition */
};

/* One thread. */
struct report_thread {
	const struct run_process *process;
	uint32_t index;
	const char *name; /* as record/names/thread-name.h has it; equal threads have one */
	const char *full; /* ... with a number where there are several in its process */
	double life_ns, cpu_ns, wait_ns;
	bool cpu_known; /* a killed program leaves no last reading; cpu_ns is 0 then */
	uint64_t calls, switches;
	bool alive; /* no end was seen */
};

/* What was promised with --budget, as shares of the CPU time; all zero: nothing. */
struct report_budget {
	double promised, measured;        /* measured: with the start of the recording */
	double counting, timing;          /* ... of this, reckoned from the record */
	uint64_t timed, sampled, counted; /* sites by what was seen of their calls at the end */
	double seen_ns, unseen_ns;        /* self time of the first two kinds, and of the third */
};

/* What the recording cost, report/time/overhead.h; shares of the plain program's CPU time. */
struct report_overhead {
	bool known;
	bool close; /* the interval is narrow enough for the estimate to be told */
	double low, estimate, high;
	double start_ns; /* of it, for the recorder and the start of the program */
};

struct report_counters;
struct call_row;

struct report_summary {
	const struct run *run;
	double wall_ns;   /* of the run: manifest, else the longest process */
	double thread_ns; /* the whole */
	double function_ns, wait_ns, outside_ns;
	double probe_ns; /* what the probes themselves took and no call is charged with */
	double line_ns;  /* in line for a core, and in the time of no call */
	double cpu_ns;   /* of the threads where it is known, as the kernel counted it */
	double busy_ns;  /* of the same threads: their lives without waiting */
	double resolution_ns; /* shorter single times cannot be distinguished: step of the clock, first bucket; 0: not known */
	double own_ns;   /* thread_ns less what was spent in line for a core */
	double overhead; /* estimated share of own_ns that the probes of calls took, 0..1 */
	struct report_overhead cost;
	struct report_budget budget;
	uint64_t calls, timed, n_threads;
	uint64_t lost_blocks, lost_events, lost_lines, lost_notes, lost_threads, lost_calls;
	uint64_t switched;         /* timed calls that met a switch, a move or a signal */
	uint64_t open;             /* calls that had not returned at the end: they have no time */
	uint64_t skipped;          /* calls and accesses without a probe */
	uint64_t unprobed;         /* functions that cannot be probed */
	uint64_t by_request;       /* sites left out by attributes, patterns and rules */
	uint64_t tails;            /* tail calls that were made ordinary calls */
	uint64_t foreign;          /* threads whose creation was not seen */
	uint64_t unlinked;         /* units whose link lacked the plugin (-flto) */
	uint64_t duplicate;        /* units for which two copies of the plugin were loaded */
	uint64_t lines, transfers; /* sharing: lines that moved, and how often */
	bool sharing;
	struct call_row *rows; /* report/time/collect.h: what functions and sites are made of */
	size_t n_rows;
	struct report_function *functions; /* by self time, falling */
	size_t n_functions;
	struct report_site *sites; /* by self time, falling */
	size_t n_sites;
	struct report_wait *waits; /* by the time at their object, falling; idle ones last */
	size_t n_waits;
	struct report_lock *locks; /* by time waited, then by acquisitions, falling */
	size_t n_locks;
	struct report_queue *queues; /* by time waited at both sides, falling */
	size_t n_queues;
	uint32_t n_blind;              /* processes of which no waits could be seen */
	struct report_thread *threads; /* by process and index */
	size_t n_threads_listed;
	struct report_counters *counters;   /* report/counters/counters.h; NULL: no events were asked for */
	struct object_names **object_names; /* by process */
	char **names;                       /* strings the summary owns, each once */
	size_t n_names;
	uint32_t *name_at; /* by hash: 1 + index in `names`, 0: free */
	size_t name_room;  /* a power of two, at least twice n_names; 0: none yet */
};

/* Estimated reads of the clock that the probes of @calls calls in @p cost, @timed of them timed. */
double report_probe_reads(const struct run_process *p, uint64_t calls, uint64_t timed);

enum report_sort { REPORT_BY_SELF, REPORT_BY_TOTAL, REPORT_BY_CALLS };

/* What `perseus report` was asked for. */
struct report_view {
	size_t rows; /* of functions, of call sites, of waits */
	bool asked;  /* for that number: paths are shown however little time they took */
	enum report_sort sort;
	bool threads; /* show the table of threads */
};

/*
 * Quantile @q (0..1) of a histogram in ticks: the middle of its bucket, which is
 * at most an eighth from any time in it, kept within [@min, @max]; 0 if the
 * histogram is empty.
 */
double report_quantile(const uint64_t hist[PRS_HIST_BUCKETS], double q, double min, double max);

#endif
