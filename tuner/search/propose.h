/* SPDX-License-Identifier: MIT */
/* Which settings to try next. */
#ifndef PERSEUS_TUNER_SEARCH_PROPOSE_H
#define PERSEUS_TUNER_SEARCH_PROPOSE_H

#include "tuner/search/model.h"

struct settings VEC(struct setting);

/*
 * The settings of the start: the default first, then one tunable at a time away from it, then
 * random ones, at most @most.
 */
void propose_start(const struct space *s, struct rng *rng, size_t most, struct settings *out);

/*
 * The setting of the largest expected gain below @best that was neither tried nor is in @taken, and
 * that gain; with @unknown the one of which the model knows least.  False: none was found.
 */
bool propose_next(const struct model *m, const struct trials *t, const struct settings *taken, double best,
		  bool unknown, struct rng *rng, struct setting *x, double *gain);

#endif
