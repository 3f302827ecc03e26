/* SPDX-License-Identifier: MIT */
/*
 * The critical path of a run: from its end back to its start, always through the thread that
 * the others waited for.  What is not on it could take longer without making the run longer.
 * Only the program's own process is followed; times are ns since it began.
 */
#ifndef PERSEUS_REPORT_CRITICAL_CRITICAL_H
#define PERSEUS_REPORT_CRITICAL_CRITICAL_H

#include "report/time/types.h"

enum crit_kind {
	CRIT_WORK, /* the thread did something */
	CRIT_WAIT, /* it waited, and for whom is not known, or it is nobody of the program */
	CRIT_HAND, /* from what ended its wait until it went on; it may have happened before it came */
	CRIT_START /* from its creation until it began */
};
#define CRIT_KINDS 4u

/* A wait of a thread. */
struct crit_wait {
	double begin, end;
	double release;      /* when thread by ended it */
	uint32_t thread, by; /* indices in the process; by: PRS_NO_THREAD: not known, or outside */
	bool late;           /* by is not known, but what it waited for had happened before it came */
	const struct prs_event *event;
	const char *name; /* "mutex gate", "sleep"; equal names are one string */
};

/* A stretch of the path, in one thread. */
struct crit_step {
	uint32_t thread;
	enum crit_kind kind;
	double begin, end;
	struct crit_wait wait; /* of CRIT_WAIT and CRIT_HAND */
};

/* Something with its time on the path. */
struct crit_part {
	const char *name;
	double ns;
	double behind_ns; /* of waits: so long others stood at it while the path went on elsewhere */
	uint64_t count;
	uint32_t kind;          /* of waits: enum prs_event_kind */
	const char *who, *whom; /* of waits: the path goes from who to whom; whom NULL: not known */
	const char *file;       /* of functions and waits, NULL */
	uint32_t line;
};

/* What the run would gain if something took half of its time. */
struct crit_gain {
	const char *name;
	const char *file; /* of the calls of a function; NULL: of a lock, or from several places */
	uint32_t line;
	bool lock;         /* held half as long; else a function */
	bool known;        /* false: why says why it cannot be told */
	double low, high;  /* of the run, 0..1 */
	double on_path_ns; /* what would be halved, at most */
	const char *why;
};

struct report_critical {
	const struct report_summary *s;
	const struct run_process *process;
	struct crit_step *steps; /* in order of time */
	size_t n_steps;
	double ns; /* of the path: they add up to it */
	double kind_ns[CRIT_KINDS];
	struct crit_part *threads, *functions, *waits; /* by time on the path, falling */
	size_t n_threads, n_functions, n_waits;
	struct crit_gain *gains; /* by what could be gained at most, falling */
	size_t n_gains;
	const char *limit; /* a sentence on what is missing; NULL: nothing */
};

/* Find the path of the run that @s sums up.  -ENODATA: no waits were recorded (by this runtime). */
int report_critical_make(struct report_critical *c, struct report_summary *s, struct err *err);
void report_critical_release(struct report_critical *c);

/* Append the JSON of `perseus waits --critical-path` to @out. */
void report_critical_json(const struct report_critical *c, struct strbuf *out);

/* Make the path, append it to @out as text or JSON, or why there is none. */
void report_critical_put(struct report_summary *s, bool json, struct strbuf *out);

#endif
