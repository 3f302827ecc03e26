/* SPDX-License-Identifier: MIT */
/*
 * The integer problem that the search solves, made of a model and a machine.
 *
 * Phases of the model are joined where the boundary between them stops
 * nobody but a waiting thread (see merge.c).  A slot is a stretch of phases
 * over which a thread cannot be moved: it begins where the thread starts or
 * passes a usable call site.  One core is chosen for each slot, so that every
 * assignment can be carried out.  Frequency steps are chosen for each epoch, a
 * stretch of phases at whose beginnings some thread can carry a trigger.
 *
 * The kind of plan says which call sites and epochs there are: all of them; only
 * those at synchronisations; or none after the starts of program and threads.
 *
 * A member of a phase is heavy if its work matters there; the others are
 * counted where they sit but do not ask for a core of their own.
 */
#ifndef PERSEUS_PLANNER_PROBLEM_PROBLEM_H
#define PERSEUS_PLANNER_PROBLEM_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "planner/problem/machine.h"
#include "yaml/model.h"
#include "yaml/plan.h"

#define PROB_NONE 0xffffffffu

struct inputs;

struct prob_member {
	uint32_t thread; /* index in model.threads */
	uint32_t slot;
	uint64_t cycles;
	uint64_t memory_ns;
	bool heavy;
	uint32_t enter_phase; /* the model's phase that it enters by a usable site, PROB_NONE */
	uint32_t enter_work;  /* index in that phase's work */
	bool starts;
	bool continues; /* it was in the phase before and passes no boundary */
	bool recurs;    /* a trigger where it enters can act on every turn of its loop, and never else */
};

/* No thread goes a million times slower for its lines. */
#define PROB_MAX_SLOWER 1000000000ull /* permille */

/* Two members that use one cache line. */
struct prob_conflict {
	uint32_t a, b;                             /* indices in phase.members */
	uint64_t count_a, count_b;                 /* accesses in one occurrence of the phase */
	uint64_t extra_a[DIST_N], extra_b[DIST_N]; /* ps an access costs more at that distance */
	uint64_t span_a, span_b; /* ps from one access that pays to the next, undisturbed; 0: not known */
	/* Permille that a side is slower beside the other for all lines of the two: problem_slower(). */
	uint64_t slower_a[DIST_N], slower_b[DIST_N];
	bool again;     /* an earlier conflict of the phase is between the same two */
	uint32_t model; /* index in model.conflicts */
};

/* A member that works under a lock, and for how long: held_ns of the same index. */
struct prob_use {
	uint32_t member; /* index in phase.members */
	uint64_t memory_ns;
};

/* Its users are phase.uses[first .. last), heavy ones first. */
struct prob_lock {
	uint32_t id; /* the model's number */
	uint32_t first, last;
};

struct prob_phase {
	uint32_t model_first, model_last; /* phases order[first .. last) of the model */
	uint64_t repeats;
	struct prob_member *members; /* heavy ones first */
	uint32_t n_members, n_heavy;
	uint64_t *work_ns;               /* n_members x n_steps */
	struct prob_conflict *conflicts; /* those between heavy members first */
	uint32_t n_conflicts, n_heavy_conflicts;
	struct prob_lock *locks;
	uint32_t n_locks;
	struct prob_use *uses;
	uint32_t n_uses;
	uint64_t *held_ns; /* n_uses x n_steps */
	uint32_t epoch;
	uint32_t block;
	uint64_t limit_ns; /* its deadline, passage into it included; 0: none */
	bool accepted;     /* same in all runs */
};

enum slot_kind {
	SLOT_PROGRAM, /* main, at program start */
	SLOT_START,   /* at the thread's start */
	SLOT_SITE,    /* after a call */
	SLOT_FIXED,   /* the thread cannot be planned: it stays where the baseline has it */
	SLOT_FOLLOW,  /* never matters: it stays with its creator */
};

struct prob_slot {
	uint32_t thread;
	enum slot_kind kind;
	uint32_t first, last; /* phases [first, last] */
	uint32_t enter_phase; /* SLOT_SITE: the model's phase and work that name the site */
	uint32_t enter_work;
	uint32_t follow;                  /* SLOT_FOLLOW: the creator's slot */
	bool heavy;                       /* heavy in some phase */
	uint32_t touch_first, touch_last; /* phases whose cost, or passage into them, depends on its unit */
};

/* A passage from one phase into another, and who may move there. */
struct prob_arrival {
	uint32_t slot;
	uint32_t before; /* the thread's slot until then, PROB_NONE: it starts */
};

struct prob_edge {
	uint32_t from; /* PROB_NONE: program start */
	uint32_t to;
	uint64_t count; /* times in a run */
	struct prob_arrival *arrivals;
	uint32_t n_arrivals;
};

/* Phases [first, last] that heavy slots tie together. */
struct prob_block {
	uint32_t first, last;
	uint32_t *slots; /* heavy and free, the one with most work first */
	uint32_t n_slots;
};

struct problem {
	const struct model *model;     /* not owned */
	const struct machine *machine; /* not owned */
	const struct inputs *inputs;   /* not owned; NULL: the model is one */
	enum plan_kind kind;
	uint32_t *order; /* the model's phases in the order of the run */
	struct prob_phase *phases;
	uint32_t n_phases;
	struct prob_slot *slots;
	uint32_t n_slots;
	uint32_t *home;   /* slot of thread t in phase p at home[p * n_threads + t], PROB_NONE */
	uint32_t *epochs; /* first phase of each epoch */
	uint32_t n_epochs;
	struct prob_edge *edges; /* ordered by `to` */
	uint32_t n_edges;
	uint32_t *edge_at;  /* passages into phase p: edges[edge_at[p] .. edge_at[p + 1]) */
	uint32_t *leave;    /* indices of the passages that leave a phase */
	uint32_t *leave_at; /* those out of phase p: leave[leave_at[p] .. leave_at[p + 1]) */
	struct prob_block *blocks;
	uint32_t n_blocks;
	uint32_t max_members;
	uint32_t max_conflicts;
	uint32_t max_users; /* of one lock */
	uint32_t max_uses;  /* of all locks of a phase */
	bool limited;       /* some phase has a deadline, or there is a cap */
	uint64_t cap_mw;    /* of the draw in any phase, 0: none */
	bool unpriced;      /* there are conflicts, but the platform has no price for them */
};

/*
 * Build the problem; @model and @machine must outlive it.  -EINVAL if the
 * model has no work in it, -ERANGE if the run is too long for 64-bit sums.
 */
int problem_init(struct problem *pb, const struct model *model, const struct machine *machine,
		 struct err *err);

/*
 * The same for plans of one kind; problem_init() is for PLAN_KIND_CALL.
 * @inputs: @model is what they join to (inputs.h); NULL: it is one model.
 */
int problem_init_kind(struct problem *pb, const struct model *model, const struct inputs *inputs,
		      const struct machine *machine, enum plan_kind kind, struct err *err);

/* Free everything inside. */
void problem_release(struct problem *pb);

/* Parts of problem_init(), in order. */
int problem_phases(struct problem *pb, struct err *err); /* merge.c */
void problem_conflicts(struct problem *pb);              /* conflict.c */
void problem_slower(struct prob_phase *ph);              /* conflict.c; again after prices have changed */
void problem_locks(struct problem *pb);                  /* serial.c */
void problem_slots(struct problem *pb);                  /* slots.c */
void problem_edges(struct problem *pb);                  /* slots.c */

/* Order the members of a phase by their work and mark the heavy ones (merge.c). */
void problem_weigh(const struct problem *pb, struct prob_phase *ph);

/* Make ph->work_ns of the members' work (merge.c). */
void problem_fill_work(const struct problem *pb, struct prob_phase *ph);

/* entry.c */

/* Time of @cycles and @memory_ns at @khz, ns, rounded up. */
uint64_t problem_work_ns(uint64_t cycles, uint64_t memory_ns, uint32_t khz);

/* May a plan of this kind change something where the member enters its phase? */
bool problem_may_enter(const struct problem *pb, const struct prob_member *m);

/* Is the phase opened by an ordinary call, which holds no other thread? */
bool problem_opened_by_call(const struct model_phase *ph);

/* The model's work of a slot that begins at a call site. */
const struct model_work *problem_entry(const struct problem *pb, const struct prob_slot *slot);

/* What @thread does in @ph, NULL: it is not there. */
struct prob_member *prob_member_of(const struct prob_phase *ph, uint32_t thread);

/* The work of @thread in @ph, NULL: it has none. */
struct model_work *problem_work_of(const struct model_phase *ph, uint32_t thread);

#endif
