/* SPDX-License-Identifier: MIT */
/*
 * The plan as the generated files show it: threads with their constants,
 * creating call sites with their numbers, triggers grouped into points.
 */
#ifndef PERSEUS_CODEGEN_VIEW_VIEW_H
#define PERSEUS_CODEGEN_VIEW_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codegen/view/input.h"
#include "lib/vec.h"

/* All triggers at one call site and side: one function. */
struct view_ids VEC(uint32_t);
struct view_point {
	uint32_t number; /* lowest of its triggers */
	uint32_t site;
	bool after;
	struct view_ids triggers; /* index in plan.triggers, by thread, then by number */
};
struct view_points VEC(struct view_point);

struct view {
	const struct plan *plan;
	const struct codegen_input *in;
	enum plan_kind kind;       /* what the plan needs, see check_kind() */
	char **thread;             /* constant of each thread, "THREAD_WORKER_0" */
	struct view_ids creates;   /* index in plan.sites; number = position + 1, ascending */
	struct view_points points; /* ascending number */
	struct view_ids cores;     /* every core named, ascending */
	struct view_ids domains;
	struct view_ids steps; /* kHz, ascending */
	uint32_t *thread_line; /* line in perseus_triggers.c, filled while it is written */
	uint32_t *trigger_line;
	uint32_t *flush_line;
	uint32_t *trigger_point; /* number of the point of each trigger at a call, else 0 */
	size_t counted;          /* bytes of that file looked at for newlines */
	uint32_t newlines;       /* found there */
};

/* Check the plan and build the view; -EINVAL names the item that is wrong.  Release it in every case. */
int view_init(struct view *v, const struct codegen_input *in, struct err *err);

/* Free the contents. */
void view_release(struct view *v);

/* Number of the creating site @site (index in plan.sites), 0 if it is none. */
uint32_t view_create_number(const struct view *v, uint32_t site);

/* True if trigger @t is in point @p. */
bool view_in_point(const struct view *v, const struct view_point *p, const struct plan_trigger *t);

#endif
