/* SPDX-License-Identifier: MIT */
/* All designs of a small problem, one by one. */
#ifndef PERSEUS_TESTS_PLANNER_BRUTE_H
#define PERSEUS_TESTS_PLANNER_BRUTE_H

#include "planner/planner.h"

/* Count up the genes of @d: units of free slots, steps of epochs; false after the last design. */
__attribute__((unused)) static bool brute_next(const struct problem *pb, struct design *d)
{
	for (uint32_t i = 0; i < pb->n_slots; i++) {
		if (pb->slots[i].kind == SLOT_FIXED || pb->slots[i].kind == SLOT_FOLLOW)
			continue;
		if (++d->unit[i] < pb->machine->n_units)
			return true;
		d->unit[i] = 0;
	}
	for (uint32_t i = 0; i < pb->n_epochs * pb->machine->n_domains; i++) {
		if (++d->step[i] < pb->machine->n_steps)
			return true;
		d->step[i] = 0;
	}
	return false;
}

/* The least that the objective can be, changes paid. */
__attribute__((unused)) static uint64_t brute_force(struct planner *p, uint64_t *designs)
{
	struct evaluation ev;
	struct design d;
	uint64_t least = UINT64_MAX;

	design_init(&d, &p->problem);
	evaluation_init(&ev, &p->problem, true);
	for (uint32_t i = 0; i < p->problem.n_slots; i++)
		if (p->problem.slots[i].kind == SLOT_FIXED)
			d.unit[i] = p->out.base.unit[i];
	do {
		struct cost c;

		eval_all(&p->problem, &d, &p->search.scratch, &ev);
		c = outcome_cost(&p->out, &ev);
		if (c.energy_pj < least)
			least = c.energy_pj;
		++*designs;
	} while (brute_next(&p->problem, &d));
	evaluation_release(&ev);
	design_release(&d);
	return least;
}

#endif
