/* SPDX-License-Identifier: MIT */
/* The watts of a platform from a model of power. */
#ifndef PERSEUS_ENERGY_WATTS_H
#define PERSEUS_ENERGY_WATTS_H

#include "lib/err.h"
#include "yaml/energy.h"
#include "yaml/platform.h"

/*
 * Fill in the busy and idle watts of the steps of @p and what they may be off by.  The
 * constant of a step's model is what all cores draw that are awake and idle; what a
 * busy core draws more is that of the mean row of training, in which @cores were
 * busy.  Both may be off by the model's interval of that row's power.
 * -EINVAL: a step has no model that was tested (the message names it), or the
 * constant is below 0; @p is as it was then.
 */
int energy_fill_platform(struct platform *p, const struct energy *e, double cores, struct err *err);

#endif
