/* SPDX-License-Identifier: MIT */
/*
 * Units that may be exchanged: packages of one class, groups of one size in
 * a package, units of a group.  Prices in a phase depend on distances only,
 * so placements that differ by such an exchange cost the same.
 */
#ifndef PERSEUS_PLANNER_EXACT_SYMMETRY_H
#define PERSEUS_PLANNER_EXACT_SYMMETRY_H

#include "planner/problem/machine.h"

/* How many threads were put on each unit, group and package so far. */
struct touched {
	uint32_t *unit;
	uint32_t *group;
	uint32_t *package;
};

void touched_init(struct touched *t, const struct machine *m);
void touched_release(struct touched *t);

/* Put a thread on @unit (@by 1) or take it away (@by -1). */
void touched_add(struct touched *t, const struct machine *m, uint32_t unit, int by);

/*
 * Is @unit the representative of its kind?  A search that uses only
 * representatives meets each placement exactly once up to exchanges.
 */
bool symmetry_canonical(const struct touched *t, const struct machine *m, uint32_t unit);

/* Permutations of the units, the identity first: to[i * n_units + unit]. */
struct permutations {
	uint16_t *to;
	uint32_t n;
	bool complete; /* all of them; false: the first @limit */
};

void permutations_init(struct permutations *p, const struct machine *m, uint32_t limit);
void permutations_release(struct permutations *p);

#endif
