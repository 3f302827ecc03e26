/* SPDX-License-Identifier: MIT */
/*
 * What one occurrence of a phase takes and draws under a placement: a fluid
 * model in integers (ns, mW, pJ = mW x ns).
 *
 * Work: a thread needs cycles / frequency + memory time.  The threads on one
 * unit take turns in equal slices, so the unit is busy for the sum of their
 * work; the phase lasts as long as its longest unit, or as the lock that its
 * users hold longest one after the other (locks.h).
 *
 * Conflicts: two threads on different units pay for accesses to a common
 * line while both run.  With F the time until a thread is through (turns of
 * its neighbours included) and w its own work, the share of a's accesses
 * made while b runs too is w_b / max(F_a, F_b).  An access of a can lose the
 * line at most once for each access of b, so both sides pay for
 *
 *	min(count_a w_b, count_b w_a) / max(F_a, F_b)
 *
 * accesses, each the platform's extra price at that distance, and for fewer
 * or more of them if the other side takes turns on its unit (meet.h).
 *
 * Power: a busy unit draws its step's busy power; an idle one the idle power
 * while any unit of its package is busy; then the package halts.
 */
#ifndef PERSEUS_PLANNER_COST_PHASE_H
#define PERSEUS_PLANNER_COST_PHASE_H

#include "planner/cost/locks.h"
#include "planner/cost/meet.h"
#include "planner/problem/goal.h"
#include "planner/problem/problem.h"

struct phase_cost {
	uint64_t time_ns;
	uint64_t energy_pj;
	uint64_t draw_mw; /* all units that have work busy at once */
};

/* Working memory of the evaluator, one per caller. */
struct scratch {
	uint64_t *load;  /* per unit, ns */
	uint64_t *work;  /* per member, ns */
	uint64_t *extra; /* per member, ns of conflicts */
	struct meet_room room;
	struct meeting *meetings;  /* of a phase's conflicts */
	struct meet_share *shares; /* per member, by chance */
	uint64_t *longest;         /* per package, ns */
	uint64_t *until;           /* per unit, ns: its load, or until its users of locks are through */
	struct lock_turn *turns;
	uint16_t *unit;     /* per member, for callers */
	uint64_t evaluated; /* counts: phases added up from nothing, */
	uint64_t deltas;    /* and members moved within one */
	bool by_chance;     /* the system moves the threads: who meets whom is chance (meet.h) */
};

/* Space for all phases of @pb; released by scratch_release(). */
void scratch_init(struct scratch *s, const struct problem *pb);
void scratch_release(struct scratch *s);

/*
 * Cost of the first @n members of @ph (ph->n_heavy or ph->n_members) on
 * @unit[member] with @step[domain].
 */
void phase_eval(const struct problem *pb, const struct prob_phase *ph, uint32_t n, const uint16_t *unit,
		const uint8_t *step, struct scratch *s, struct phase_cost *cost);

/* State times summed over the units, ns; after phase_eval() with the same arguments. */
struct phase_states {
	uint64_t busy, idle, halted;
};
void phase_states(const struct problem *pb, const struct scratch *s, const struct phase_cost *cost,
		  struct phase_states *out);

/* ns that package halting lasts, summed over packages; after phase_eval(). */
uint64_t phase_halt_ns(const struct problem *pb, const struct scratch *s, const struct phase_cost *cost);

/*
 * What the heavy members cannot be below on @unit, whatever the steps:
 * everybody as fast as can be, but as long in the way of others as can be.
 * @cost gets the time, and the energy that conflicts and locks add to that
 * without them.
 */
void phase_floor(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit,
		 struct scratch *s, struct cost *cost);

/*
 * Do the steps of the units depend on each other under this placement: does a
 * conflict between heavy members cost anything, or may a lock hold one up?
 */
bool phase_coupled(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit,
		   struct scratch *s);

#endif
