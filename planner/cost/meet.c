/* SPDX-License-Identifier: MIT */
#include "planner/cost/meet.h"

uint64_t meet_paid(const struct prob_conflict *c, uint64_t work_a, uint64_t work_b, uint64_t through_a,
		   uint64_t through_b)
{
	uint64_t longer = through_a > through_b ? through_a : through_b;
	unsigned __int128 a, b;

	if (longer == work_a && longer == work_b)
		return c->count_a < c->count_b ? c->count_a : c->count_b;
	a = (unsigned __int128)c->count_a * work_b;
	b = (unsigned __int128)c->count_b * work_a;
	return longer ? meet_quotient(a < b ? a : b, longer) : 0;
}

/* Mean price over all ordered pairs of different units, ps. */
static uint64_t mean_extra(const struct machine *m, const uint64_t extra[DIST_N])
{
	uint64_t pairs = (uint64_t)m->n_units * (m->n_units - 1);
	unsigned __int128 sum = 0;

	for (int d = 0; d < DIST_N; d++)
		sum += (unsigned __int128)extra[d] * m->n_apart[d];
	return pairs ? (uint64_t)(sum / pairs) : 0;
}

void meet_by_chance(const struct problem *pb, const struct prob_phase *ph, const struct prob_conflict *c,
		    const uint64_t *work, uint64_t *extra)
{
	uint64_t others = ph->n_heavy > 1 ? ph->n_heavy - 1 : 1, units = pb->machine->n_units - 1;
	uint64_t part = units < others ? units : others, wa = work[c->a], wb = work[c->b];
	unsigned __int128 all = meet_paid(c, wa, wb, wa, wb);
	uint64_t accesses = (uint64_t)(all * part / others);

	/* In thousandths: meet_held_up() divides whole numbers. */
	part *= 1000;
	others *= 1000;
	extra[c->a] += meet_held_up(accesses, mean_extra(pb->machine, c->extra_a), c->span_a, part, others);
	extra[c->b] += meet_held_up(accesses, mean_extra(pb->machine, c->extra_b), c->span_b, part, others);
}
