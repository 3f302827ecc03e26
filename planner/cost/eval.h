/* SPDX-License-Identifier: MIT */
/*
 * Designs and what they cost over the whole run, prices of changes included.
 *
 * A change at a passage between phases is paid by everybody: the phase
 * begins later by the slowest mover's trigger and migration plus all
 * frequency changes in turn, and the machine draws the new phase's full
 * power meanwhile.  Both are upper bounds, so a plan promises too little
 * rather than too much.
 */
#ifndef PERSEUS_PLANNER_COST_EVAL_H
#define PERSEUS_PLANNER_COST_EVAL_H

#include "planner/cost/phase.h"

struct design {
	uint16_t *unit; /* per slot; that of a follower is not used */
	uint8_t *step;  /* per epoch and domain: step[epoch * n_domains + domain] */
	bool moved;     /* by the system as it likes: units say how work is dealt out, not who meets whom */
	uint16_t *at;   /* moved: thread t in phase p has its work on at[p * threads + t]; else NULL */
};

struct evaluation {
	struct cost total;
	struct phase_cost *phase; /* one occurrence each */
	struct cost *edge;        /* one passage each */
	bool priced;
};

/* Space for a design of @pb: all on unit 0, top steps. */
void design_init(struct design *d, const struct problem *pb);
/* Where @from has everything, as a placement that is set: not moved. */
void design_copy(struct design *to, const struct design *from, const struct problem *pb);
void design_release(struct design *d);

/* Are both the same in every gene? */
bool design_same(const struct design *a, const struct design *b, const struct problem *pb);

/* Threads that cannot be planned are where @from has them. */
void design_keep_fixed(struct design *d, const struct design *from, const struct problem *pb);

/* Unit of a slot, that of its creator for a follower. */
static inline uint16_t design_unit(const struct problem *pb, const struct design *d, uint32_t slot)
{
	return d->unit[pb->slots[slot].follow == PROB_NONE ? slot : pb->slots[slot].follow];
}

/* The operating system's number of the core that @d gives a slot. */
uint32_t design_core(const struct problem *pb, const struct design *d, uint32_t slot);

/* Unit on which a thread works in a phase in which it has @slot. */
static inline uint16_t design_unit_in(const struct problem *pb, const struct design *d, uint32_t phase,
				      uint32_t slot)
{
	return d->at ? d->at[(size_t)phase * pb->model->n_threads + pb->slots[slot].thread]
		     : design_unit(pb, d, slot);
}

static inline const uint8_t *design_steps(const struct problem *pb, const struct design *d, uint32_t phase)
{
	return d->step + (size_t)pb->phases[phase].epoch * pb->machine->n_domains;
}

/* Space for the results of @pb; @priced: changes cost. */
void evaluation_init(struct evaluation *ev, const struct problem *pb, bool priced);
void evaluation_release(struct evaluation *ev);

/* Evaluate all of @d. */
void eval_all(const struct problem *pb, const struct design *d, struct scratch *s, struct evaluation *ev);

/* Evaluate again what lies in phases [first, last], passages into them included. */
void eval_range(const struct problem *pb, const struct design *d, struct scratch *s, struct evaluation *ev,
		uint32_t first, uint32_t last);

/* The same where the cost of each phase p is known[p] already. */
void eval_known(const struct problem *pb, const struct design *d, const struct phase_cost *known,
		struct evaluation *ev, uint32_t first, uint32_t last);

/* Evaluate phase @phase and the passages into it; the total of @ev is left as it was: see eval_sum(). */
void eval_one(const struct problem *pb, const struct design *d, struct scratch *s, struct evaluation *ev,
	      uint32_t phase);

/* What phases [first, last] and the passages into them add up to; @sum may be the total of @ev. */
void eval_sum(const struct problem *pb, const struct evaluation *ev, uint32_t first, uint32_t last,
	      struct cost *sum);

/* What of an evaluation is one input's, passages included. */
struct cost eval_input(const struct problem *pb, const struct evaluation *ev, uint32_t input);

/* The cost of one phase with all members where @d slots them. */
void eval_phase(const struct problem *pb, const struct design *d, uint32_t phase, struct scratch *s,
		struct phase_cost *cost);

/*
 * The self-check: over all phases and passages, busy + idle + halted time
 * summed over the units must be units x run time, to the nanosecond.
 */
bool eval_balanced(const struct problem *pb, const struct design *d, struct scratch *s,
		   const struct evaluation *ev);

/* ns of package halting in the whole run, summed over packages. */
uint64_t eval_halt_ns(const struct problem *pb, const struct design *d, struct scratch *s,
		      const struct evaluation *ev);

/* Time of a thread's start on a chosen core, ns: trigger, affinity, longest move. */
uint64_t eval_start_ns(const struct problem *pb);

#endif
