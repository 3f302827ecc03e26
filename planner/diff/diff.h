/* SPDX-License-Identifier: MIT */
/*
 * Two plans by meaning: what is set where differs, not how it is written down.
 * Threads are matched by who creates them where, then by name; sites by id;
 * order, indices and trigger numbers mean nothing.
 */
#ifndef PERSEUS_PLANNER_DIFF_DIFF_H
#define PERSEUS_PLANNER_DIFF_DIFF_H

#include <stdbool.h>

#include "lib/vec.h"
#include "yaml/plan.h"

enum diff_kind {
	DIFF_IDENTITY, /* of which program, model, platform */
	DIFF_TASK,     /* what was asked for */
	DIFF_THREAD,   /* a thread is new, gone, or created elsewhere */
	DIFF_CHANGED,  /* a setting has another value */
	DIFF_MOVED,    /* a setting is made at another place */
	DIFF_ADDED,
	DIFF_DROPPED,
	DIFF_PROMISE, /* what the plan says it reaches */
	DIFF_NOTE,    /* how it was found, reasons: no difference in meaning */
	DIFF_KINDS,
};

/* All strings are owned, of one line, without control characters; NULL: there is none. */
struct diff_change {
	enum diff_kind kind;
	char *subject; /* "worker 3", "time" */
	char *what;    /* "core", "domain 2", NULL for figures */
	char *before, *after;
	char *text;             /* the sentence */
	uint32_t trigger;       /* number in the plan that has it (the new one of two), PLAN_NONE */
	uint32_t thread;        /* index in the new plan, PLAN_NONE: of no thread that it has */
	uint32_t flush, layout; /* likewise */
};
struct diff_changes VEC(struct diff_change);

struct plan_diff {
	struct diff_changes changes; /* by kind, within a kind in the order of the new plan */
	size_t n_differences;        /* without notes */
};

/* Word of a kind, for programs: "changed". */
const char *diff_kind_name(enum diff_kind kind);

/* Compare @old with @new; the caller releases @d. */
void plan_diff(struct plan_diff *d, const struct plan *old, const struct plan *new);

/* Free the contents. */
void plan_diff_release(struct plan_diff *d);

#endif
