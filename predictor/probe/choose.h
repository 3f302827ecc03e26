/* SPDX-License-Identifier: MIT */
/* Of all sizes the one that tells most of the target for its cost. */
#ifndef PERSEUS_PREDICTOR_PROBE_CHOOSE_H
#define PERSEUS_PREDICTOR_PROBE_CHOOSE_H

#include "predictor/probe/next.h"

#define NEXT_FINE       64  /* sizes to choose from, of one parameter */
#define NEXT_CHEAP_RUNS 5   /* runs of a size at most */
#define NEXT_OF_LEFT    0.5 /* of what is left of the budget may go into one probe */

/* Levels of each of @params parameters. */
size_t next_levels(size_t params);

/* Parameter @j at @level of @most. */
double next_level(const struct next_plan *p, size_t j, size_t level, size_t most);

/* The size with the parameters @x, or NULL. */
const struct growth_size *next_size(const struct growth_sizes *s, const double *x);

/* The size in @x that takes most of the variance at the target, by the models @fit of @s; @left: of the budget. */
enum next_end next_choose(const struct next_plan *p, const struct next_state *st,
			  const struct growth_sizes *s, const struct growth_fit *fit, double left, double *x);

#endif
