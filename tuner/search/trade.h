/* SPDX-License-Identifier: MIT */
/*
 * Two figures at once.  The front is looked for by single figures, each a weighting of the
 * two: the larger one of the weighted distances from the best of each (Tchebycheff), so that
 * fronts that bend inwards are found, too.  After ParEGO (Knowles 2006).
 */
#ifndef PERSEUS_TUNER_SEARCH_TRADE_H
#define PERSEUS_TUNER_SEARCH_TRADE_H

#include "tuner/search/propose.h"

/* The objective's weight, 0 to 1, in proposal @k: each third one is for it alone, the others go over all of the front, ever finer. */
double trade_weight(uint64_t k);

/*
 * @view gets the settings of @t with the weighted figure in the place of the mean; a unit is the width of
 * the front.  Nothing is run or settled in it; the caller releases it by trials_release().
 */
void trade_view(struct trials *view, const struct trials *t, double weight);

/* Append settings of the front with fewer than @enough runs, the fewest first, that are not in @list, until it has @most. */
void trade_racers(const struct trials *t, uint32_t enough, size_t most, struct settings *list);

#endif
