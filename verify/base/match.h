/* SPDX-License-Identifier: MIT */
/* References between documents: which threads, call sites, entries, phases of a plan are its models'. */
#ifndef PERSEUS_VERIFY_BASE_MATCH_H
#define PERSEUS_VERIFY_BASE_MATCH_H

#include "verify/base/model.h"
#include "verify/base/plan.h"

/* The plan must name the SHA-256 of these files; each that it does not is a line in @list. */
void match_files(const struct vplan *p, const struct vplatform *f, const struct vmodel *m, size_t n,
		 struct findings *list);

/*
 * Give the threads of @n models the numbers that the plan has for them, and
 * let only those entries count that all models have at the same visits.  What
 * the plan and the models do not have in common is a line in @list; then the
 * models are of no further use.
 */
void match_models(const struct vplan *p, struct vmodel *m, size_t n, struct findings *list);

/* Is a call site of the plan that of the model? */
bool match_site(const struct vplan_site *planned, const struct vmodel *m, uint32_t site);

#endif
