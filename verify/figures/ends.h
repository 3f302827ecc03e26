/* SPDX-License-Identifier: MIT */
/* What a saving may be as well: conflicts of unknown phases, and those that models do not have. */
#ifndef PERSEUS_VERIFY_FIGURES_ENDS_H
#define PERSEUS_VERIFY_FIGURES_ENDS_H

#include "verify/figures/recompute.h"

/* Percent of the figure of @base that @c saves. */
double ends_saving(const struct vplan *p, struct vcost base, struct vcost c);

/*
 * On standard output: the saving, from @sums, of the baseline and the plan, in which conflicts of
 * unknown phases count in all; the other end, if they are in none; and why the models doubt theirs.
 * @m is as before in the end.
 */
void ends_print(const struct vplan *p, struct vmodel *m, size_t n_models, const struct vplatform *f,
		const struct vcost sums[2]);

#endif
