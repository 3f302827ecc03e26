/* SPDX-License-Identifier: MIT */
/* Can a platform do what a plan asks of it, and do the plan's figures agree with each other? */
#ifndef PERSEUS_VERIFY_FEASIBLE_H
#define PERSEUS_VERIFY_FEASIBLE_H

#include "verify/plan.h"
#include "verify/platform.h"

/* Each contradiction is one line in @list. */
void feasible_check(const struct vplan *plan, const struct vplatform *platform, struct findings *list);

#endif
