/* SPDX-License-Identifier: MIT */
/* What a plan says beside its settings: each claim against models, platform and the run gone through again. */
#ifndef PERSEUS_VERIFY_FIGURES_CLAIMS_H
#define PERSEUS_VERIFY_FIGURES_CLAIMS_H

#include "verify/figures/recompute.h"

/* False if the plan's phases, @span, are not joined as the models allow; then lines in @list say why. */
bool claims_phases(const struct vplan *p, const struct vmodel *m, size_t n_models, const struct vplatform *f,
		   const struct span *span, struct findings *list);

/* What the files say is the program's and the platform's: names, build, site tables. */
void claims_identity(const struct vplan *p, const struct vmodel *m, size_t n_models,
		     const struct vplatform *f, struct findings *list);

/* Figures that @r has otherwise, and triggers that act otherwise than they say. */
void claims_figures(const struct vplan *p, const struct result *r, struct findings *list);

/* Baselines, places that nothing sets, kinds. */
void claims_rest(const struct vplan *p, const struct vmodel *m, size_t n_models, const struct vplatform *f,
		 const struct result *r, struct findings *list);

/*
 * All of it, with what the documents refer to: each difference is a line in
 * @list.  @m is changed; @sums: of the baseline, the plan, the closed-form bound.
 */
void claims_check(const struct vplan *p, struct vmodel *m, size_t n_models, const struct vplatform *f,
		  struct vcost sums[3], struct findings *list);

/* On standard output: each field of a plan that nothing above looks at, or not at all of it, and why. */
void claims_print_unchecked(const struct vplan *p);

#endif
