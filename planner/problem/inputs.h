/* SPDX-License-Identifier: MIT */
/*
 * Several models of one program, for one plan: runs with other inputs.
 *
 * They are aligned: threads by their path of creations, call sites by their
 * identity, phases by their place in the chain and by what opens them.  The
 * joined model has the mean of the work; from it come the phases, slots and
 * epochs that the plan can use.  Then each phase of the problem is replaced by
 * one copy for each input, side by side, with that input's work, repeats and
 * conflicts, on the same slots and steps.  So sums over the problem are sums
 * over the inputs, and every search does what it always does.
 *
 * An entry into a phase is used only if all inputs have it at the same visit;
 * a thread that an input does not have has no work there.
 */
#ifndef PERSEUS_PLANNER_PROBLEM_INPUTS_H
#define PERSEUS_PLANNER_PROBLEM_INPUTS_H

#include "lib/err.h"
#include "planner/problem/problem.h"
#include "yaml/model.h"
#include "yaml/plan.h"

#define INPUTS_MAX 64

/* Weights of inputs in a search add up to no more than this times the inputs: sums have room for it. */
#define INPUTS_WEIGHT 8

struct inputs {
	struct model joined; /* its texts belong to the models */
	struct model *
		each; /* the models in the numbers of the joined one: all work in all phases, 0 if it has none */
	char (*sha256)[65];       /* of each model's canonical form */
	const char *const *names; /* for people; not owned */
	bool **agrees;            /* by phase and work: all inputs enter alike */
	uint32_t *first_conflict; /* of each input, in joined.conflicts */
	uint32_t n;
};

/*
 * Align @n models, which must outlive @in; the caller releases it.  -EINVAL:
 * they are not of one program, or not of the same threads' phases; the
 * message names the first difference.
 */
int inputs_join(struct inputs *in, const struct model *models, const char *const *names, uint32_t n,
		struct err *err);

/* Free everything inside. */
void inputs_release(struct inputs *in);

/* Parts of problem_init_kind(), with pb->inputs; expand.c. */

/* After phases are joined: what is heavy in any input is heavy. */
void inputs_weigh(struct problem *pb);

/* After slots and passages are made: a copy of each phase for each input. */
void inputs_expand(struct problem *pb);

#endif
