/* SPDX-License-Identifier: MIT */
/* The best few different designs of a search, for a closer look. */
#ifndef PERSEUS_PLANNER_SEARCH_FINALISTS_H
#define PERSEUS_PLANNER_SEARCH_FINALISTS_H

#include "planner/cost/eval.h"

#define FINALISTS 4u

struct finalist {
	struct design design;
	struct cost cost;
};

struct finalists {
	struct finalist at[FINALISTS]; /* best first, ties in order of arrival */
	uint32_t n;
};

/* Keep a copy of @d, which costs @cost, if it is new and among the best. */
void finalists_add(struct finalists *f, const struct problem *pb, const struct goal *goal,
		   const struct design *d, const struct cost *cost);

/* Free everything inside. */
void finalists_release(struct finalists *f);

#endif
