/* SPDX-License-Identifier: MIT */
/*
 * Where a plan is said to stop gaining: plan and baseline, gone through again
 * on the same platform with one figure changed (whatif.h).  Of a plan that
 * has to keep to a deadline or to a cap nothing is said.
 */
#ifndef PERSEUS_VERIFY_FIGURES_BREAKEVENS_H
#define PERSEUS_VERIFY_FIGURES_BREAKEVENS_H

#include "verify/figures/baselines.h"

/* Break-evens and `turns_on` of a plan whose run is @r: what is not so is a line in @list, which must be empty. */
void breakevens_check(const struct ground *g, const struct result *r, struct findings *list);

/* On standard output: what breakevens_check() did not look at. */
void breakevens_print_unchecked(const struct vplan *p);

#endif
