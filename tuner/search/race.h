/* SPDX-License-Identifier: MIT */
/* Which settings are worth another run: a race against the best. */
#ifndef PERSEUS_TUNER_SEARCH_RACE_H
#define PERSEUS_TUNER_SEARCH_RACE_H

#include "tuner/search/trials.h"

/* The setting with the least mean of those that may be the best; SIZE_MAX: there is none. */
size_t race_leader(const struct trials *t);

/*
 * Drop what is surely not the best: at most with probability @drop at all looks
 * together if it is.  Looks at setting @i after each of its runs.
 */
void race_look(struct trials *t, size_t i, size_t best, double drop);

/* How far setting @i is above the best, in standard errors of the difference; HUGE_VAL: sigma is not known. */
double race_behind(const struct trials *t, size_t i, size_t best);

#endif
