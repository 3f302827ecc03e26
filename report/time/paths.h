/* SPDX-License-Identifier: MIT */
/*
 * Who called whom: the calls of a run as a tree.  A root is what a thread
 * starts in; a node is a callee at one place of its caller.  Threads that start
 * in the same function share a root.  Every nanosecond of thread time is the
 * self, waiting or probe time of exactly one node.
 */
#ifndef PERSEUS_REPORT_TIME_PATHS_H
#define PERSEUS_REPORT_TIME_PATHS_H

#include "report/time/types.h"

#define PATH_NONE 0xffffffffu

struct path_node {
	const char *name; /* as people write it; of the run or the summary */
	const char *
		asm_name; /* equal names in one module are one function; NULL: no function, but a sort of time */
	const struct run_module *home;    /* that defines it, NULL: not known */
	const struct run_call_site *site; /* one of the sites behind it; NULL: a root, or not in the tables */
	const char *file;                 /* of the call, NULL */
	uint32_t line;
	uint32_t parent, first,
		next;          /* indices of caller, first callee, next callee of the caller; PATH_NONE */
	uint64_t calls, timed; /* of a root: threads, 0 */
	bool about;            /* calls is an estimate; those of a site are exact in sum */
	uint64_t switched;     /* timed calls that met a switch, a move or a signal */
	uint64_t open;         /* timed calls that had not returned at the end */
	double self_ns, wait_ns;
	double total_ns;            /* self, waiting and all below; recursion counts once */
	double sum_ns, switched_ns; /* of the timed calls as measured; ... of those that were interrupted */
	double min_ns, max_ns;      /* of the timed calls */
	uint64_t hist[PRS_HIST_BUCKETS];
};

struct report_paths {
	const struct report_summary *s;
	struct path_node *nodes; /* callers come before their callees */
	size_t n;
	uint32_t root;  /* the first; PATH_NONE: the tree is empty */
	bool bottom_up; /* roots are functions, and below them who called them */
	uint64_t lost;  /* calls that are in the tree without their path */
};

/*
 * The tree of the run that @s sums up and points to; both must outlive it.
 * -ENODATA: no process of the run recorded paths.
 */
int report_paths_make(struct report_paths *p, struct report_summary *s, struct err *err);

/* The same calls turned round: functions, and below each who called it, by self time. */
void report_paths_turn(struct report_paths *out, const struct report_paths *in);

void report_paths_release(struct report_paths *p);

/* Text and JSON of @p, at most @view->rows nodes; appended to @out. */
void report_paths_text(const struct report_paths *p, const struct report_view *view, struct strbuf *out);
void report_paths_json(const struct report_paths *p, const struct report_view *view, struct strbuf *out);

/* `frame;frame;frame nanoseconds`, a line for each node with time of its own: what flame graph tools read. */
void report_paths_folded(const struct report_paths *p, struct strbuf *out);

#endif
