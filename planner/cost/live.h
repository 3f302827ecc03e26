/* SPDX-License-Identifier: MIT */
/*
 * Phases that change by one member at a time.  What phase_eval() adds up from
 * nothing is kept for each phase and corrected where a move changes it: the
 * loads of two units, the conflicts of those who sit there, the length of one
 * or two packages; with locks, the times of all who use them.  The results are those of phase_eval(), to the last digit.
 *
 * A move of a thread to where it was takes everything back.
 */
#ifndef PERSEUS_PLANNER_COST_LIVE_H
#define PERSEUS_PLANNER_COST_LIVE_H

#include "planner/cost/eval.h"

/* A member of a phase that sits where a slot is. */
struct live_spot {
	uint32_t phase, member;
};

struct live_package {
	uint64_t longest;  /* ns; with locks: how long it is awake */
	uint64_t above_pj; /* what busy units draw above idle ones */
	uint64_t idle_mw;  /* all its units idle at their steps */
	uint64_t above_mw; /* units with work, above idle */
	uint32_t n_busy;   /* units with work */
	bool stale;        /* the longest unit has become shorter */
};

/* One phase; the arrays are slices of those in struct live. */
struct live_phase {
	const struct prob_phase *ph;
	uint16_t *unit; /* per member */
	uint32_t *next; /* per member: another on the same unit, PROB_NONE */
	uint32_t *head; /* per unit */
	uint64_t *work; /* per member, ns */
	uint64_t *load; /* per unit, ns */
	struct live_package *package;
	uint64_t *paid;     /* per conflict: ns of a, ns of b */
	uint32_t *conflict; /* conflicts by member: those of i at [conflict_at[i], conflict_at[i + 1]) */
	uint32_t *conflict_at;
};

struct live {
	const struct problem *pb;
	const struct scratch *s; /* whose price of conflicts counts */
	struct live_phase *phase;
	struct phase_cost *cost; /* per phase, always up to date */
	struct live_spot *spots; /* by slot, followers included: spot_at[slot] .. spot_at[slot + 1] */
	uint32_t *spot_at;
	struct meet_room room;
	struct meeting *meetings; /* of the conflicts that are put down */
	uint32_t *lifted;         /* conflicts taken out during a move */
	bool *is_lifted;
	uint32_t n_lifted;
	uint64_t *until; /* per unit, ns: of the phase at hand, if it has locks */
	struct lock_turn *turns;
	uint64_t moves; /* members moved, phases built anew */
	uint64_t builds;
	void *space[10];
};

/* Space for all phases of @pb; live_build() comes next.  Released by live_release(). */
void live_init(struct live *l, const struct problem *pb, const struct scratch *s);
void live_release(struct live *l);

/* Phase @p as @d has it. */
void live_build(struct live *l, const struct design *d, uint32_t p);

/* Member @i of phase @p to @unit, where the phase has @step. */
void live_move(struct live *l, uint32_t p, uint32_t i, uint16_t unit, const uint8_t *step);

#endif
