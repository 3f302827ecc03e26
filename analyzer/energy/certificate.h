/* SPDX-License-Identifier: MIT */
/* Which events may be believed as causes of power, and why not. */
#ifndef PERSEUS_ENERGY_CERTIFICATE_H
#define PERSEUS_ENERGY_CERTIFICATE_H

#include "analyzer/energy/folds.h"
#include "yaml/energy.h"

/* Limits: variance inflation, relative error of a sum, and how one-sided a sign must be. */
#define ENERGY_MOST_INFLATION  10.0
#define ENERGY_MOST_ADDITIVITY 0.05
#define ENERGY_LEAST_AGREEMENT 0.95
#define ENERGY_LEAST_COUNTED   0.99 /* of the time, or counters took turns */
#define ENERGY_RESAMPLINGS     200

/*
 * Judge each event of @t: @event has one for each, to be filled in; `used` is
 * set for those that models may have: not zero, constant, duplicate or
 * not additive.  Signs are those of ordinary least squares over programs drawn
 * with replacement.  Programs that run others one after the other, "A+B", say which
 * events are additive and are set aside.
 */
void energy_certify(struct energy_cells *c, const struct energy_table *t, struct energy_event *event);

#endif
