/* SPDX-License-Identifier: MIT */
/* Which settings nobody beats in both figures. */
#ifndef PERSEUS_TUNER_SEARCH_FRONT_H
#define PERSEUS_TUNER_SEARCH_FRONT_H

#include "tuner/search/trials.h"

struct front VEC(size_t);

/*
 * Append the indices of the settings of @t that ran well, have a second figure, and that no other one is as
 * good as in both and better in one; ascending by the first figure, equal ones once.
 */
void front_find(const struct trials *t, struct front *out);

#endif
