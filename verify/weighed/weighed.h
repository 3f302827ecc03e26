/* SPDX-License-Identifier: MIT */
/*
 * Plans whose layouts were weighed: their figures are of the program without the conflicts that
 * these layouts end.  A layout ends the false sharing of the findings in its evidence.
 */
#ifndef PERSEUS_VERIFY_WEIGHED_WEIGHED_H
#define PERSEUS_VERIFY_WEIGHED_WEIGHED_H

#include "verify/figures/claims.h"

/*
 * claims_check() without the conflicts that the plan's layouts end, which stand behind those of
 * @m from then on; then what layouts are said to save, and `choices`.
 */
void weighed_claims(const struct vplan *p, struct vmodel *m, size_t n_models, const struct vplatform *f,
		    struct vcost sums[3], struct findings *list);

/* On standard output: what of layouts was computed again, if that was @done, and what was not. */
void weighed_print(const struct vplan *p, bool done);

#endif
