/* SPDX-License-Identifier: MIT */
#include "planner/cost/meet.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

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

uint64_t meet_held_up_beside(uint64_t accesses, uint64_t extra_ps, const struct meet_turn *t,
			     const struct meet_share *others)
{
	uint64_t left = MEET_ALL - meet_share_of(t).part, lost = others->lost;
	unsigned __int128 longer, less;

	if (!lost || !left)
		return meet_held_up(accesses, extra_ps, t, 0);
	if (others->part > left)
		lost = meet_quotient((unsigned __int128)lost * left, others->part);
	longer = t->of + (unsigned __int128)(t->of - t->part) * t->slower / 1000;
	less = ((unsigned __int128)t->of * (1000 + t->slower) / 1000 * lost) >> 32;
	/* Nobody is held up for longer than if all that it does met the other. */
	longer = longer > less + t->part ? longer - less : t->part;
	if (!longer)
		return 0;
	return meet_quotient((unsigned __int128)(accesses * (unsigned __int128)extra_ps / 1000) * t->of,
			     longer);
}

void meet_room_init(struct meet_room *r, const struct problem *pb)
{
	r->n_units = pb->machine->n_units;
	r->share = mem_new((size_t)pb->max_members * r->n_units + 1, sizeof(*r->share));
}

void meet_room_release(struct meet_room *r)
{
	free(r->share);
	*r = (struct meet_room){0};
}

static void add_share(struct meet_share *to, const struct meet_share *from)
{
	to->part += from->part;
	to->lost += from->lost;
}

/* What others of a group take. */
static struct meet_share without(struct meet_share all, const struct meet_share *own)
{
	return (struct meet_share){all.part - own->part, all.lost - own->lost};
}

void meet_enter(struct meet_room *r, struct meeting *m, const uint64_t *work, uint64_t through_a,
		uint64_t through_b)
{
	const struct prob_conflict *c = m->c;

	m->accesses = meet_paid(c, work[c->a], work[c->b], through_a, through_b);
	m->a = (struct meet_turn){c->slower_a[m->distance], work[c->b], through_b};
	m->b = (struct meet_turn){c->slower_b[m->distance], work[c->a], through_a};
	m->a_share = meet_share_of(&m->a);
	m->b_share = meet_share_of(&m->b);
	if (c->again)
		return;
	add_share(&r->share[c->a * r->n_units + m->ub], &m->a_share);
	add_share(&r->share[c->b * r->n_units + m->ua], &m->b_share);
}

void meet_costs(const struct meet_room *r, const struct meeting *m, uint64_t *ns_a, uint64_t *ns_b)
{
	const struct prob_conflict *c = m->c;
	struct meet_share a = without(r->share[c->a * r->n_units + m->ub], &m->a_share);
	struct meet_share b = without(r->share[c->b * r->n_units + m->ua], &m->b_share);

	*ns_a = meet_held_up_beside(m->accesses, c->extra_a[m->distance], &m->a, &a);
	*ns_b = meet_held_up_beside(m->accesses, c->extra_b[m->distance], &m->b, &b);
}

/* ---- where the system moves the threads ---- */

/* Mean over all ordered pairs of different units. */
static uint64_t mean(const struct machine *m, const uint64_t by_distance[DIST_N])
{
	uint64_t pairs = (uint64_t)m->n_units * (m->n_units - 1);
	unsigned __int128 sum = 0;

	for (int d = 0; d < DIST_N; d++)
		sum += (unsigned __int128)by_distance[d] * m->n_apart[d];
	return pairs ? (uint64_t)(sum / pairs) : 0;
}

/* The part of the time that two run at once, the other on one of @units. */
static struct meet_turn turn_by_chance(const struct problem *pb, const struct prob_phase *ph,
				       const uint64_t slower[DIST_N], uint64_t units)
{
	uint64_t others = ph->n_heavy > 1 ? ph->n_heavy - 1 : 1;

	/* In thousandths: whole numbers are divided. */
	return (struct meet_turn){mean(pb->machine, slower), 1000 * (units < others ? units : others),
				  1000 * others};
}

void meet_shares_by_chance(const struct problem *pb, const struct prob_phase *ph, uint32_t n_conflicts,
			   struct meet_share *sum)
{
	memset(sum, 0, ph->n_members * sizeof(*sum));
	for (uint32_t i = 0; i < n_conflicts; i++) {
		const struct prob_conflict *c = &ph->conflicts[i];
		struct meet_turn a = turn_by_chance(pb, ph, c->slower_a, 1);
		struct meet_turn b = turn_by_chance(pb, ph, c->slower_b, 1);
		struct meet_share sa = meet_share_of(&a), sb = meet_share_of(&b);

		if (c->again)
			continue;
		add_share(&sum[c->a], &sa);
		add_share(&sum[c->b], &sb);
	}
}

/* ns that a side is held up. */
static uint64_t by_chance(const struct problem *pb, const struct prob_phase *ph, uint64_t accesses,
			  const uint64_t extra[DIST_N], const uint64_t slower[DIST_N],
			  const struct meet_share *sum)
{
	struct meet_turn all = turn_by_chance(pb, ph, slower, pb->machine->n_units - 1);
	struct meet_turn one = turn_by_chance(pb, ph, slower, 1);
	struct meet_share own = meet_share_of(&one),
			  others = sum ? without(*sum, &own) : (struct meet_share){0, 0};

	return meet_held_up_beside(accesses, mean(pb->machine, extra), &all, &others);
}

void meet_by_chance(const struct problem *pb, const struct prob_phase *ph, const struct prob_conflict *c,
		    const struct meet_share *sum, const uint64_t *work, uint64_t *extra)
{
	uint64_t others = ph->n_heavy > 1 ? ph->n_heavy - 1 : 1, units = pb->machine->n_units - 1;
	uint64_t wa = work[c->a], wb = work[c->b];
	unsigned __int128 all = meet_paid(c, wa, wb, wa, wb);
	uint64_t accesses = (uint64_t)(all * (units < others ? units : others) / others);

	extra[c->a] += by_chance(pb, ph, accesses, c->extra_a, c->slower_a, sum ? &sum[c->a] : NULL);
	extra[c->b] += by_chance(pb, ph, accesses, c->extra_b, c->slower_b, sum ? &sum[c->b] : NULL);
}
