/* SPDX-License-Identifier: MIT */
#include "scheduler/check/optimum.h"

#include <math.h>

#define TRIES 3000000 /* nodes of the tree: about a second */
#define LESS  1e-6    /* relative */

/*
 * Tasks are placed one after another, in the order of their starts, each on every set of nodes: the tasks
 * of any schedule can be placed so, and none starts later for it.
 */
struct trial_tree {
	const struct optimum_work *w;
	uint32_t done;
	double end[OPTIMUM_TASKS], freed[OPTIMUM_NODES];
	double least;
	uint64_t left;
};

static void place_next(struct trial_tree *t, double last, double makespan, double late);

/* Place @task on the nodes @set, and go on. */
static void place_on(struct trial_tree *t, size_t task, uint32_t set, double last, double makespan,
		     double late)
{
	const struct optimum_task *x = &t->w->tasks[task];
	double kept[OPTIMUM_NODES], start = fmax(last, x->release), slowest = INFINITY, end;

	for (size_t i = 0; i < t->w->n_tasks; i++)
		if (x->after >> i & 1)
			start = fmax(start, t->end[i]);
	for (size_t i = 0; i < t->w->n_nodes; i++)
		if (set >> i & 1) {
			start = fmax(start, t->freed[i]);
			slowest = fmin(slowest, t->w->speed[i]);
		}
	end = start + x->seconds / slowest;
	for (size_t i = 0; i < t->w->n_nodes; i++) {
		kept[i] = t->freed[i];
		t->freed[i] = set >> i & 1 ? end : kept[i];
	}
	t->end[task] = end;
	t->done |= 1u << task;
	place_next(t, start, fmax(makespan, end), late + fmax(end - x->deadline, 0));
	t->done &= ~(1u << task);
	for (size_t i = 0; i < t->w->n_nodes; i++)
		t->freed[i] = kept[i];
}

/* A node that differs in nothing from one in front of it that is left out of @set: the same set, renamed. */
static bool is_renamed(const struct trial_tree *t, uint32_t set)
{
	for (size_t i = 1; i < t->w->n_nodes; i++)
		for (size_t k = 0; k < i && set >> i & 1; k++)
			if (!(set >> k & 1) && t->w->speed[i] == t->w->speed[k] && t->freed[i] == t->freed[k])
				return true;
	return false;
}

static void place_next(struct trial_tree *t, double last, double makespan, double late)
{
	uint32_t all = (1u << t->w->n_tasks) - 1;

	if (!t->left || makespan + late >= t->least * (1 - LESS))
		return;
	t->left--;
	if (t->done == all)
		t->least = makespan + late;
	for (size_t i = 0; i < t->w->n_tasks; i++) {
		const struct optimum_task *x = &t->w->tasks[i];

		if (t->done >> i & 1 || (x->after & t->done) != x->after)
			continue;
		for (uint32_t set = 1; set < 1u << t->w->n_nodes; set++)
			if ((size_t)__builtin_popcount(set) == x->width && !is_renamed(t, set))
				place_on(t, i, set, last, makespan, late);
	}
}

bool optimum_least(const struct optimum_work *w, double cost, double *least)
{
	struct trial_tree t = {.w = w, .least = cost, .left = TRIES};

	place_next(&t, 0, 0, 0);
	*least = t.least;
	return t.left || t.least < cost;
}
