/* SPDX-License-Identifier: MIT */
/*
 * Two threads at one cache line: how long each is stalled by the other.
 *
 * Accesses pay that are made while the other side runs, too.  That is as many
 * as chance says if the other has its core all the time.  If it takes turns,
 * the two have a part r of the time in common, and chance deals out time, not
 * accesses: a thread that goes s times slower while the other is there makes
 * fewer of its accesses then.  With n accesses that would meet the other if
 * it made no difference, n / (r + (1 - r) s) of them pay.
 *
 * s = 1 + extra / span: an access takes extra more than the span from one to
 * the next that pays, undisturbed.
 */
#ifndef PERSEUS_PLANNER_COST_MEET_H
#define PERSEUS_PLANNER_COST_MEET_H

#include "planner/problem/problem.h"

/* No thread goes a million times slower for a line. */
#define MEET_MAX_SLOWER 1000000000ull /* permille */

/* @n / @d, which mostly fit into one word each: then it is a single instruction. */
static inline uint64_t meet_quotient(unsigned __int128 n, unsigned __int128 d)
{
	return (n | d) >> 64 ? (uint64_t)(n / d) : (uint64_t)n / (uint64_t)d;
}

/* The two below; @rounding 1 makes up for a divisor that was rounded down. */
static inline uint64_t meet_in_part(uint64_t accesses, uint64_t extra_ps, uint64_t span_ps, uint64_t part,
				    uint64_t of, uint64_t rounding)
{
	uint64_t ns = meet_quotient((unsigned __int128)accesses * extra_ps, 1000), slower;
	unsigned __int128 longer;

	if (part >= of || !span_ps)
		return ns;
	slower = extra_ps * 1000 / span_ps;
	slower = slower < MEET_MAX_SLOWER ? slower : MEET_MAX_SLOWER;
	longer = (unsigned __int128)(of - part) * slower;
	longer = of + (longer >> 64 ? longer / 1000 : (uint64_t)longer / 1000) + rounding;
	return meet_quotient((unsigned __int128)ns * of, longer);
}

/*
 * ns that @accesses of @extra_ps are stalled whose other side has its core for
 * @part / @of of the time; @span_ps: the conflict's of this side.
 */
static inline uint64_t meet_held_up(uint64_t accesses, uint64_t extra_ps, uint64_t span_ps, uint64_t part,
				    uint64_t of)
{
	return meet_in_part(accesses, extra_ps, span_ps, part, of, 0);
}

/* What no larger @part and no smaller @of (nor more accesses) is below, to the last ns. */
static inline uint64_t meet_held_up_least(uint64_t accesses, uint64_t extra_ps, uint64_t span_ps,
					  uint64_t part, uint64_t of)
{
	return meet_in_part(accesses, extra_ps, span_ps, part, of, 1);
}

/*
 * Accesses of a conflict that pay on each side: @work_a and @work_b of the two
 * members, and the times until they are through, ns.
 */
uint64_t meet_paid(const struct prob_conflict *c, uint64_t work_a, uint64_t work_b, uint64_t through_a,
		   uint64_t through_b);

/*
 * Add to @extra (ns, by member) what conflict @c costs each side in @work ns
 * (by member) if the system moves the threads: two of n busy threads run at
 * the same moment on different ones of c cores for (c - 1) / (n - 1) of
 * their time, at most all of it, and then pay the price of the mean distance.
 */
void meet_by_chance(const struct problem *pb, const struct prob_phase *ph, const struct prob_conflict *c,
		    const uint64_t *work, uint64_t *extra);

#endif
