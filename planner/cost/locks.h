/* SPDX-License-Identifier: MIT */
/*
 * Locks in the fluid model: work that is done one after the other, whatever
 * the cores.
 *
 * With h[i] the time that user i of a lock works under it, at the step of its
 * unit, the users take equal turns at the lock as threads do on a unit.  So i
 * is not through before
 *
 *	F[i] = sum over the users j, i among them, of min(h[j], h[i])
 *
 * A thread that waits leaves its unit to others.  The phase lasts for the
 * longest unit or F, whichever is longer: no placement can do better, and if
 * each thread goes on at the pace at which it is through by then, no unit and
 * no lock has more than it can take.  That is exact where nobody waits, and
 * where everybody does nothing else; between, it leaves out who comes to the
 * lock at a bad moment.
 *
 * A package halts while nobody in it has anything to do but wait.  So it is
 * awake until the last in it is through, but for no longer than all work of
 * its units one after the other.
 */
#ifndef PERSEUS_PLANNER_COST_LOCKS_H
#define PERSEUS_PLANNER_COST_LOCKS_H

#include "planner/problem/problem.h"

/* A user of a lock under a placement. */
struct lock_turn {
	uint64_t held_ns;
	uint16_t unit;
};

/*
 * Raise @until (ns, by unit) to the times until the first @n members of @ph
 * are through with their locks on @unit[member] with @step[domain]; @room is
 * for pb->max_users turns.
 */
void locks_raise(const struct machine *m, const struct prob_phase *ph, uint32_t n, const uint16_t *unit,
		 const uint8_t *step, struct lock_turn *room, uint64_t *until);

/* The same with everybody at step @f. */
void locks_raise_all(const struct machine *m, const struct prob_phase *ph, uint32_t n, const uint16_t *unit,
		     uint32_t f, struct lock_turn *room, uint64_t *until);

/*
 * Awake time of package @k whose units have @load and are not through until
 * @until (ns, by unit); the latest of these goes to @last.
 */
uint64_t locks_awake(const struct machine *m, uint32_t k, const uint64_t *load, const uint64_t *until,
		     uint64_t *last);

/* What heavy members do under one lock cannot take less than this at the top step, ns; 0 without locks. */
uint64_t locks_least(const struct machine *m, const struct prob_phase *ph);

/* The same of all members. */
uint64_t locks_longest(const struct machine *m, const struct prob_phase *ph);

/* Do the heavy members of both phases hold the same locks for the same times, member by member? */
bool locks_same(const struct machine *m, const struct prob_phase *a, const struct prob_phase *b);

#endif
