/* SPDX-License-Identifier: MIT */
/*
 * A plan's figures, computed again from plan, models and platform alone, by
 * the model of time and power that verify/README.md states.  All are
 * whole: ns, mW, pJ; rounded down unless a comment says otherwise, so that
 * results are equal to the last unit.
 */
#ifndef PERSEUS_VERIFY_FIGURES_RECOMPUTE_H
#define PERSEUS_VERIFY_FIGURES_RECOMPUTE_H

#include "verify/base/match.h"
#include "verify/base/platform.h"

typedef unsigned __int128 wide;

/* Where a thread works in a phase: cores by index, VPLATFORM_NONE before: it starts; by: 1 + the trigger, 0: its start. */
struct stay {
	uint32_t core, before, by;
};

/* A thread's work in a span, or what of it is done under a lock. */
struct member {
	const struct vmodel_work *entry;    /* the first of it */
	uint64_t cycles, memory_ns, top_ns; /* time at the top step */
	struct stay stay[2];                /* of the plan's run: on the first turn, on later ones */
};

/* Phases joined into one: members, the most work first and those that matter before others; work under locks. */
struct span {
	const struct vmodel *model; /* the first of its models */
	uint32_t first, last;
	uint64_t repeats;
	struct member *member;
	size_t n_heavy, n, n_all; /* members that matter, all; with work under locks */
};

struct vcost {
	uint64_t time, energy, draw; /* ns, pJ, mW */
};

/* The machine at a moment of the run. */
struct moment {
	const struct vplatform *f;
	uint32_t *core,
		*step; /* by thread: index of a core, VPLATFORM_NONE: not started; by frequency domain */
	bool moved;    /* the system moves the threads: who meets whom is chance */
};

/* What a trigger does in the run. */
struct acted {
	uint32_t phase;   /* the last one that it acts for */
	bool once, first; /* it acts at all; on the visit that `first` says */
	bool again;       /* on later turns of a loop, each of them as it says */
};

/* Costs of whole runs, the mean or the worst of the models'; and how the plan's run goes. */
struct result {
	struct vcost base, plan, relaxed;
	struct span *span;   /* by phase of the plan, all models together */
	struct acted *acted; /* by trigger */
};

/* Time of work at a step: cycles / frequency, rounded up, + memory time. */
uint64_t work_ns(const struct vplatform *f, const struct member *m, size_t step);

/* Phases of @n models as one; false if one has no such phases.  free(s->member) in every case. */
bool span_make(const struct vmodel *m, size_t n, const struct vplatform *f, uint32_t first, uint32_t last,
	       struct span *s);

/* Index of the member that is a thread, s->n if none is. */
size_t span_find(const struct span *s, uint32_t thread);

/* One occurrence of @s as the machine is. */
struct vcost fluid_cost(const struct moment *now, const struct span *s);

/* No placement and no steps take less for one occurrence: planner/cost/relax.h states the formula. */
struct vcost relaxed_cost(const struct vplatform *f, const struct span *s);

/* The figure that the plan's objective is about. */
wide cost_figure(const struct vplan *p, struct vcost c);

/* Each contradiction of the plan with its platform, or among its figures, is a line in @list. */
void feasible_check(const struct vplan *p, const struct vplatform *f, struct findings *list);

/*
 * Go through the run.  False if the plan's phases are not the models', which
 * match_models() took; what does not follow from them is a line in @list.
 * result_release() in every case.
 */
bool recompute(const struct vplan *p, const struct vmodel *m, size_t n_models, const struct vplatform *f,
	       struct result *out, struct findings *list);

/* The run with threads at @place, nothing set; @moved: by the system, as it likes. */
struct vcost recompute_places(const struct vplan *p, const struct vmodel *m, size_t n_models,
			      const struct vplatform *f, struct vplan_place *place, size_t n_places,
			      bool moved);

/* Free the contents. */
void result_release(const struct vplan *p, struct result *r);

#endif
