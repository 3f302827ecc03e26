/* SPDX-License-Identifier: MIT */
/*
 * Two threads at one cache line: how long each is stalled by the other.
 *
 * Accesses pay that are made while the other side runs, too.  That is as many
 * as chance says if the other has its core all the time.  If it takes turns,
 * the two have a part r of the time in common, and chance deals out time, not
 * accesses: a thread that goes s times slower while the other is there makes
 * fewer of its accesses then.  s = 1 + the sum of extra / span over the lines
 * of the two: an access takes extra more than the span from one to the next
 * that pays, undisturbed.
 *
 * While the other waits for its turn somebody else runs there, at whose lines
 * the thread is held up as well, or is not.  With o the part of the time that
 * those others take from the thread, sum of r (1 - 1 / s) over them (one after
 * the other they have at most 1 - r in common with it), of n accesses that
 * would meet the other if it made no difference
 *
 *	n / (r + (1 - r) s - s o)
 *
 * pay.  Threads on different units run at once; what they cost adds up.
 */
#ifndef PERSEUS_PLANNER_COST_MEET_H
#define PERSEUS_PLANNER_COST_MEET_H

#include "planner/problem/problem.h"

/* All of the time that a thread runs. */
#define MEET_ALL (1ull << 32)

/* Of the time that a thread runs: in common with others on a unit, and lost to them. */
struct meet_share {
	uint64_t part, lost; /* of MEET_ALL */
};

/* What a side of a conflict meets: permille that it is slower, and the other's part of the time. */
struct meet_turn {
	uint64_t slower;
	uint64_t part, of; /* ns */
};

/* @n / @d, which mostly fit into one word each: then it is a single instruction. */
static inline uint64_t meet_quotient(unsigned __int128 n, unsigned __int128 d)
{
	return (n | d) >> 64 ? (uint64_t)(n / d) : (uint64_t)n / (uint64_t)d;
}

static inline struct meet_share meet_share_of(const struct meet_turn *t)
{
	uint64_t part = t->part < t->of ? meet_quotient((unsigned __int128)t->part << 32, t->of) : MEET_ALL;

	return (struct meet_share){part, part * t->slower / (1000 + t->slower)};
}

/* ns that @accesses of @extra_ps are stalled where nobody else has turns with the other side. */
static inline uint64_t meet_held_up(uint64_t accesses, uint64_t extra_ps, const struct meet_turn *t,
				    uint64_t rounding)
{
	uint64_t ns = meet_quotient((unsigned __int128)accesses * extra_ps, 1000);
	unsigned __int128 longer;

	if (t->part >= t->of || !t->slower)
		return ns;
	longer = (unsigned __int128)(t->of - t->part) * t->slower;
	longer = t->of + (longer >> 64 ? longer / 1000 : (uint64_t)longer / 1000) + rounding;
	return meet_quotient((unsigned __int128)ns * t->of, longer);
}

/*
 * What no larger part and no smaller time of the other (nor more accesses, nor
 * others beside it) is below, to the last ns: a divisor that was rounded down
 * is made up for.
 */
static inline uint64_t meet_held_up_least(uint64_t accesses, uint64_t extra_ps, const struct meet_turn *t)
{
	return meet_held_up(accesses, extra_ps, t, 1);
}

/* The same where @others have turns with the other side. */
uint64_t meet_held_up_beside(uint64_t accesses, uint64_t extra_ps, const struct meet_turn *t,
			     const struct meet_share *others);

/*
 * Accesses of a conflict that pay on each side: @work_a and @work_b of the two
 * members, and the times until they are through, ns.
 */
uint64_t meet_paid(const struct prob_conflict *c, uint64_t work_a, uint64_t work_b, uint64_t through_a,
		   uint64_t through_b);

/* A conflict whose sides are on units @ua and @ub, at @distance. */
struct meeting {
	const struct prob_conflict *c;
	uint32_t ua, ub;
	uint8_t distance;
	uint64_t accesses; /* that pay */
	struct meet_turn a, b;
	struct meet_share a_share, b_share;
};

/* Who takes how much of whose time, by member and the others' unit; zero when nobody meets. */
struct meet_room {
	struct meet_share *share;
	size_t n_units;
};

void meet_room_init(struct meet_room *r, const struct problem *pb);
void meet_room_release(struct meet_room *r);

/* @m, of which c, ua, ub and distance are set: both run @work ns (by member) and are through after those. */
void meet_enter(struct meet_room *r, struct meeting *m, const uint64_t *work, uint64_t through_a,
		uint64_t through_b);

/* After all who meet have entered: ns that the conflict costs each side. */
void meet_costs(const struct meet_room *r, const struct meeting *m, uint64_t *ns_a, uint64_t *ns_b);

/* After all costs have been asked for. */
static inline void meet_leave(struct meet_room *r, const struct meeting *m)
{
	r->share[m->c->a * r->n_units + m->ub] = (struct meet_share){0, 0};
	r->share[m->c->b * r->n_units + m->ua] = (struct meet_share){0, 0};
}

/*
 * What the first @n_conflicts take of each member's time (@sum, by member) if the
 * system moves the threads: two of n busy threads run at the same moment on
 * different ones of c cores for (c - 1) / (n - 1) of their time, at most all
 * of it, and on a certain one of them for 1 / (n - 1), which is what @sum has.
 */
void meet_shares_by_chance(const struct problem *pb, const struct prob_phase *ph, uint32_t n_conflicts,
			   struct meet_share *sum);

/*
 * Add to @extra (ns, by member) what conflict @c costs each side in @work ns
 * (by member) then: they pay the price of the mean distance.  @sum NULL: there
 * is no other conflict.
 */
void meet_by_chance(const struct problem *pb, const struct prob_phase *ph, const struct prob_conflict *c,
		    const struct meet_share *sum, const uint64_t *work, uint64_t *extra);

#endif
