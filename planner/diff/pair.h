/* SPDX-License-Identifier: MIT */
/* Two plans with common numbers for their threads and sites, and the parts of their comparison. */
#ifndef PERSEUS_PLANNER_DIFF_PAIR_H
#define PERSEUS_PLANNER_DIFF_PAIR_H

#include "lib/strbuf.h"
#include "planner/diff/diff.h"
#include "planner/diff/match.h"

enum pair_side { PAIR_OLD, PAIR_NEW, PAIR_SIDES };

/* What is set of a thread: its core, or else a frequency domain. */
#define PAIR_CORE  0xffffffffu
#define PAIR_ALONE 0xffffffffu /* no other thread has the name */

/* One value that the plan sets at one point. */
struct pair_setting {
	uint32_t thread; /* common number */
	bool call;       /* else at the start of the thread or program */
	bool after;
	uint32_t site;         /* common number, 0 unless call */
	uint32_t first, every; /* 0 unless call */
	uint32_t target;       /* PAIR_CORE, or a domain */
	uint32_t value;        /* core, or kHz */
	uint32_t own_thread;   /* index in its plan */
	uint32_t trigger;      /* index in its plan, PLAN_NONE: the thread's own core */
	bool done;
};
struct pair_settings VEC(struct pair_setting);

struct pair {
	const struct plan *plan[PAIR_SIDES];
	uint32_t *thread[PAIR_SIDES]; /* common number of each thread */
	bool *matched[PAIR_SIDES];    /* the other plan has this thread */
	uint32_t *site[PAIR_SIDES];   /* common number of each site */
	uint32_t *rank[PAIR_SIDES];   /* of each thread among its namesakes, or PAIR_ALONE */
	struct pair_settings set[PAIR_SIDES];
	struct plan_diff *diff;
};

/* Number sites and threads alike, @diff gets what comes out. */
void pair_init(struct pair *p, struct plan_diff *diff, const struct plan *old, const struct plan *new);
void pair_release(struct pair *p);

/* Flatten both plans into p->set; of two values for one thing at one point the last stays. */
void pair_flatten(struct pair *p);

/* Append "worker 3": the name, with its place among namesakes; no control characters. */
void pair_thread_name(struct strbuf *out, const struct pair *p, int side, uint32_t thread);

/* Are two texts, each of which may be absent, other ones?  An empty one is none. */
bool pair_differs(const char *a, const char *b);

/* Append @s without control characters; NULL: "-". */
void pair_safe(struct strbuf *out, const char *s);

/* Append where @s stands: "at its start", "before fir in worker (fir.c:88), visit 1". */
void pair_place(struct strbuf *out, const struct plan *plan, const struct pair_setting *s);

/* Append "visit 2 and every 3 after"; @s is at a call. */
void pair_visit(struct strbuf *out, const struct pair_setting *s);

/* Add a change; @subject and @text are taken over, @what, @before and @after copied. */
struct diff_change *pair_add(struct pair *p, enum diff_kind kind, struct strbuf *subject, const char *what,
			     const char *before, const char *after, struct strbuf *text);

/* Changes in what stands before the threads, in phases, and notes. */
void pair_head(struct pair *p);

/* Notes: names, places that only checks need, what is said of kinds and figures. */
void pair_why(struct pair *p);

/* A note that evidence or reason of one setting have changed; nothing if they have not. */
void pair_reason(struct pair *p, const struct pair_setting *old, const struct pair_setting *new);

/* Threads that are new, gone or created elsewhere; settings. */
void pair_threads(struct pair *p);
void pair_settings(struct pair *p);

/* Functions that are flushed. */
void pair_flushes(struct pair *p);

/* Fields and variables that are aligned, and what that was weighed against. */
void pair_layouts(struct pair *p);

#endif
