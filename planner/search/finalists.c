/* SPDX-License-Identifier: MIT */
#include "planner/search/finalists.h"

#include <string.h>

void finalists_add(struct finalists *f, const struct problem *pb, const struct goal *goal,
		   const struct design *d, const struct cost *cost)
{
	struct finalist new;
	uint32_t at = f->n;

	for (uint32_t i = 0; i < f->n; i++)
		if (design_same(&f->at[i].design, d, pb))
			return;
	while (at && cost_compare(cost, &f->at[at - 1].cost, goal) < 0)
		at--;
	if (at == FINALISTS)
		return;
	if (f->n < FINALISTS) {
		design_init(&new.design, pb);
		f->n++;
	} else {
		new = f->at[FINALISTS - 1];
	}
	design_copy(&new.design, d, pb);
	new.cost = *cost;
	memmove(&f->at[at + 1], &f->at[at], (f->n - 1 - at) * sizeof(*f->at));
	f->at[at] = new;
}

void finalists_release(struct finalists *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		design_release(&f->at[i].design);
	f->n = 0;
}
