/* SPDX-License-Identifier: MIT */
/*
 * Every schedule whose tasks are handed out as they start: next is a task that waits for nothing, on each set of
 * nodes.  An optimum is among them, since the tasks of any schedule can be handed out in the order of their starts.
 */
#include <math.h>
#include <string.h>

#include "scheduler/search/search.h"

#define EPSILON 1e-9 /* relative: not better */

struct tree {
	const struct workflow *w;
	struct schedule *best;
	struct schedule now;  /* order[0..depth) are handed out */
	double *freed, *tail; /* of a node; of a task: at least so long from its start to the end of all */
	bool *done;
	uint64_t left;
	bool cut; /* the effort was not enough */
};

static void tree_branch(struct tree *t, size_t depth, double last);

/* At least what all will cost: tasks that are not handed out yet start at @last or later. */
static double tree_bound(const struct tree *t, double last)
{
	const struct workflow *w = t->w;
	double path = t->now.makespan, work = 0, speed = 0;

	for (size_t i = 0; i < w->nodes.n; i++) {
		speed += w->nodes.at[i].speed;
		work += w->nodes.at[i].speed * fmax(t->freed[i], last);
	}
	for (size_t i = 0; i < w->tasks.n; i++) {
		const struct work_task *task = &w->tasks.at[i];
		double from = fmax(last, task->release);

		if (t->done[i])
			continue;
		for (size_t k = 0; k < task->after.n; k++)
			if (t->done[task->after.at[k]])
				from = fmax(from, t->now.end[task->after.at[k]]);
		path = fmax(path, from + t->tail[i]);
		work += task->seconds * (double)task->width;
	}
	return fmax(path, work / speed) + t->now.late;
}

/* Task @i on the nodes that t->now has for it; then go on. */
static void tree_step(struct tree *t, size_t depth, double last, size_t i)
{
	const struct work_task *task = &t->w->tasks.at[i];
	const size_t *host = t->now.host + t->now.first[i];
	double start = fmax(last, task->release), speed = INFINITY, makespan = t->now.makespan,
	       late = t->now.late;
	double *before;

	t->cut = t->cut || !t->left;
	if (t->cut)
		return;
	t->left--;
	before = mem_new(task->width, sizeof(*before));
	for (size_t k = 0; k < task->after.n; k++)
		start = fmax(start, t->now.end[task->after.at[k]]);
	for (size_t k = 0; k < task->width; k++) {
		before[k] = t->freed[host[k]];
		start = fmax(start, before[k]);
		speed = fmin(speed, t->w->nodes.at[host[k]].speed);
	}
	t->now.start[i] = start;
	t->now.end[i] = start + work_seconds(task, speed);
	for (size_t k = 0; k < task->width; k++)
		t->freed[host[k]] = t->now.end[i];
	t->now.makespan = fmax(makespan, t->now.end[i]);
	t->now.late = late + fmax(t->now.end[i] - task->deadline, 0);
	t->now.order[depth] = i;
	t->done[i] = true;
	if (tree_bound(t, start) < t->best->cost * (1 - EPSILON))
		tree_branch(t, depth + 1, start);
	t->done[i] = false;
	t->now.makespan = makespan;
	t->now.late = late;
	for (size_t k = 0; k < task->width; k++)
		t->freed[host[k]] = before[k];
	free(before);
}

/* Every set of nodes for task @i, the @have first of which are chosen, by falling speed from @from on. */
static void tree_sets(struct tree *t, size_t depth, double last, size_t i, size_t have, size_t from)
{
	const struct workflow *w = t->w;
	size_t width = w->tasks.at[i].width, *host = t->now.host + t->now.first[i];

	if (have == width) {
		tree_step(t, depth, last, i);
		return;
	}
	for (size_t k = from; k + (width - have) <= w->nodes.n && !t->cut; k++) {
		size_t node = w->by_speed[k], other = from;

		/* One that is like another one, and was not taken in its place, need not be tried. */
		while (other < k && (w->nodes.at[w->by_speed[other]].speed != w->nodes.at[node].speed ||
				     t->freed[w->by_speed[other]] != t->freed[node]))
			other++;
		if (other < k)
			continue;
		host[have] = node;
		tree_sets(t, depth, last, i, have + 1, k + 1);
	}
}

static void tree_branch(struct tree *t, size_t depth, double last)
{
	const struct workflow *w = t->w;

	if (depth == w->tasks.n) {
		t->now.cost = t->now.makespan + t->now.late;
		if (t->now.cost < t->best->cost * (1 - EPSILON))
			schedule_copy(t->best, &t->now);
		return;
	}
	for (size_t i = 0; i < w->tasks.n && !t->cut; i++) {
		bool ready = !t->done[i];

		for (size_t k = 0; ready && k < w->tasks.at[i].after.n; k++)
			ready = t->done[w->tasks.at[i].after.at[k]];
		if (!ready)
			continue;
		tree_sets(t, depth, last, i, 0, 0);
	}
}

bool search_exact(const struct workflow *w, struct schedule *s, uint64_t effort)
{
	struct tree t = {.w = w, .best = s, .left = effort};

	schedule_make(&t.now, w);
	t.freed = mem_new(w->nodes.n, sizeof(*t.freed));
	t.tail = mem_new(w->tasks.n, sizeof(*t.tail));
	t.done = mem_new(w->tasks.n, sizeof(*t.done));
	for (size_t i = 0; i < w->nodes.n; i++)
		t.freed[i] = w->nodes.at[i].free;
	work_heads(w, NULL, t.tail);
	for (size_t i = 0; i < w->tasks.n; i++)
		t.tail[i] += work_least_seconds(w, &w->tasks.at[i]);
	tree_branch(&t, 0, 0);
	schedule_release(&t.now);
	free(t.freed);
	free(t.tail);
	free(t.done);
	return !t.cut;
}
