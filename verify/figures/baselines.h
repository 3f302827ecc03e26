/* SPDX-License-Identifier: MIT */
/*
 * The baselines of perseus-plan(1), formed from models and platform alone.
 *
 * spread, pack: threads in their order, each for the whole run to the core
 * that the fewest before it use which matter in a phase in which it does; of
 * several the first, dealt alternately from the packages or one package after
 * the other.  Who never matters is with its creator.  os: each phase anew, the
 * longest thread to the core with the least work.  random: by a seed.
 */
#ifndef PERSEUS_VERIFY_FIGURES_BASELINES_H
#define PERSEUS_VERIFY_FIGURES_BASELINES_H

#include "verify/figures/recompute.h"

#define BASELINES 4 /* spread, pack, os, random */

/* What the baselines are formed of. */
struct ground {
	const struct vplan *plan;
	const struct vmodel *model;
	size_t n_models;
	const struct vplatform *f;
	const struct span *span; /* by phase of the plan, all models together */
};

/* Number of a baseline's name, BASELINES if it is none. */
int baselines_find(const char *name);

/* The places of a baseline, ascending by thread and phase, an entry for each change; the caller frees them. */
struct vplan_place *baselines_form(const struct ground *g, int baseline, uint64_t seed, size_t *n);

/* Does a thread never matter, so that it is with its creator? */
bool baselines_follows(const struct ground *g, uint32_t thread);

/* Places, hash and figures of the plan's baselines that are not so are lines in @list. */
void baselines_check(const struct ground *g, struct findings *list);

#endif
