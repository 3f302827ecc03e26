/* SPDX-License-Identifier: MIT */
/*
 * Layouts against placement: which of the layouts that `perseus conflicts --plan` proposes are
 * worth their bytes, given that threads can be placed so that the conflict costs less, too.
 *
 * A layout ends the conflicts of the findings in its evidence, so a set of layouts makes another
 * model, of which the planner finds the best placement.  Layouts that end one finding together,
 * or change one type (its sizes are those with all of them), are one item: all or none of it.
 */
#ifndef PERSEUS_PLANNER_WEIGH_H
#define PERSEUS_PLANNER_WEIGH_H

#include "lib/vec.h"
#include "planner/planner.h"

#define WEIGH_ITEMS 64u /* at most: a set is 64 bits */
#define WEIGH_EXACT 12u /* up to so many items each set is decided */
#define WEIGH_RUNS  32u /* searches for placements at most */

struct weigh_options {
	uint64_t max_bytes; /* of memory for all layouts together; 0: no limit */
	bool any_cache;     /* take also what leaves a cache with its layout */
};

enum weigh_fate {
	WEIGH_OPEN,        /* not decided */
	WEIGH_TAKEN,       /* in the plan */
	WEIGH_NO_CONFLICT, /* the model has no conflict that it ends */
	WEIGH_CACHE,       /* its data leaves a cache with it */
	WEIGH_BYTES,       /* it alone takes more than max_bytes, or nobody knows what it takes */
	WEIGH_NO_WORTH,    /* with the placement found it saves less than a change must be worth */
	WEIGH_NO_ROOM,     /* others save more with the bytes that there are */
};

/* Layouts that are taken together. */
struct weigh_item {
	struct strbuf ids; /* the findings that it ends */
	uint64_t bytes;
	bool bytes_known;
	uint64_t before, after; /* bytes of all its objects; 0: not known */
	uint64_t cache;         /* bytes of the cache that they leave; 0: none that is known */
	uint32_t conflicts;     /* of the model that it ends */
	enum weigh_fate fate;
};

/* The best placement found with the items of @set, and what none is below. */
struct weigh_point {
	uint64_t set; /* bits of open[] */
	uint64_t bytes, time_ns, bound_ns;
	bool gains; /* it is better than the baseline with these layouts */
};

/* Sums of one of the four. */
struct weigh_choice {
	uint64_t set, bytes, time_ns, bound_ns;
};

struct weighing {
	const struct model *whole; /* not owned, nor what follows */
	const struct platform *platform;
	const struct plan *from; /* the layouts proposed */
	struct planner_options opts;
	struct weigh_options limits;
	struct weigh_item *items;
	uint32_t n_items;
	uint32_t *item_of;          /* by layout */
	uint32_t *ended_by;         /* item, by conflict; PROB_NONE: none ends it */
	uint32_t open[WEIGH_ITEMS]; /* items that can be taken */
	uint32_t n_open;
	struct VEC(struct weigh_point) points; /* searched */
	uint64_t sets;                         /* that there are within max_bytes, if `exact` */
	bool exact; /* each set was searched, or cannot be better than one that was by what is worth it */
	bool rises; /* a part of a set was faster than the set can be: `exact` rests on that it is not */
	uint64_t chosen, padding;
	struct weigh_choice choice[PLAN_CHOICES]; /* once emitted */
	struct model model;                       /* without the conflicts that the chosen ones end */
};

/*
 * Choose among the layouts of @from; all pointers must outlive @w, to be released in every case.
 * w->model is what to plan for then.  -E2BIG: too many items; else as planner_run().
 */
int weigh_run(struct weighing *w, const struct model *model, const struct platform *platform,
	      const struct plan *from, const struct planner_options *opts, const struct weigh_options *limits,
	      struct err *err);

/* Put what was chosen into @plan, which is that of @p, a run on w->model.  Errors as planner_run(). */
int weigh_emit(struct weighing *w, const struct planner *p, struct plan *plan, struct err *err);

void weigh_release(struct weighing *w);

/*
 * Point @i of the front of bytes and time, the least bytes first; each saves what a change must be
 * worth.  False: there are no more.
 */
bool weigh_front(const struct weighing *w, size_t i, struct weigh_point *out);

/* Findings that the items of @set end, comma separated; @out may have some already. */
void weigh_ids(const struct weighing *w, uint64_t set, struct strbuf *out);

/* Parts of weigh_run(): items.c makes the items and says which are open. */
void weigh_items(struct weighing *w);

/* The model without the conflicts of @set, but with those of the findings @back (NULL: none); free(out->conflicts). */
void weigh_model(const struct weighing *w, uint64_t set, const char *back, struct model *out);

/* Bytes that the items of @set cost. */
uint64_t weigh_bytes(const struct weighing *w, uint64_t set);

#endif
