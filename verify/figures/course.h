/* SPDX-License-Identifier: MIT */
/* What the plan's triggers do as the run goes on: where threads are then, and the steps of the domains. */
#ifndef PERSEUS_VERIFY_FIGURES_COURSE_H
#define PERSEUS_VERIFY_FIGURES_COURSE_H

#include "verify/figures/recompute.h"

struct course {
	const struct vplan *plan;
	const struct vmodel *model;
	struct moment *now;
	struct findings *list;
	uint32_t *by;        /* by thread: 1 + the trigger that has put it where it is, 0: its start */
	struct acted *acted; /* by trigger */
};

/* The triggers at program start. */
void course_begin(struct course *x);

/*
 * The triggers of a thread that enters phase @p, which is @s, by @w; @starts:
 * it begins there; @later: on the second turn, and all later ones must act
 * alike.  What acts otherwise, or sets what is set, is a line in x->list.
 */
void course_enter(struct course *x, const struct span *s, uint32_t p, const struct vmodel_work *w,
		  bool starts, bool later);

#endif
