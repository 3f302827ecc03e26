/* SPDX-License-Identifier: MIT */
/*
 * No schedule costs less.  Tasks of which none can start before A, and behind each of which at least B passes, do
 * their work between A and the end less B: as work spreads over all nodes and is cut up at will there, that is an
 * end which nobody can come before.  With A and B 0 it is all work over all speeds.
 */
#include <math.h>
#include <string.h>

#include "scheduler/work/workflow.h"

#define HEADS 128 /* different A that are tried, at most */

void work_heads(const struct workflow *w, double *head, double *tail)
{
	double first = INFINITY;

	for (size_t i = 0; i < w->nodes.n; i++)
		first = fmin(first, w->nodes.at[i].free);
	for (size_t i = 0; head && i < w->tasks.n; i++) {
		size_t t = w->topological[i];
		const struct work_task *task = &w->tasks.at[t];

		head[t] = fmax(task->release, first);
		for (size_t k = 0; k < task->after.n; k++) {
			size_t other = task->after.at[k];

			head[t] = fmax(head[t], head[other] + work_least_seconds(w, &w->tasks.at[other]));
		}
	}
	for (size_t i = w->tasks.n; tail && i-- > 0;) {
		size_t t = w->topological[i];
		const struct work_task *task = &w->tasks.at[t];

		tail[t] = 0;
		for (size_t k = 0; k < task->next.n; k++) {
			size_t other = task->next.at[k];

			tail[t] = fmax(tail[t], tail[other] + work_least_seconds(w, &w->tasks.at[other]));
		}
	}
}

struct bounder {
	const struct workflow *w;
	const double *head, *tail;
	struct work_keyed *by_tail; /* tasks, by falling tail */
	struct work_keyed *by_free; /* nodes, the first that is free first */
	double *fastest;            /* speeds of the fastest nodes, summed: of 0, 1, 2 ... */
};

/* The speed that nodes give from @a on: which of them take part grows with the time that is looked at. */
struct supply {
	double a, speed, taken; /* of the nodes that take part; what passes before they are free */
	size_t nodes;
};

/* When @work is done if nodes take it as they become free, none before s->a; @work may only grow. */
static double supply_end(const struct bounder *b, struct supply *s, double work)
{
	size_t n = b->w->nodes.n;

	while (s->nodes < n) {
		const struct work_node *next = &b->w->nodes.at[b->by_free[s->nodes].at];
		double from = fmax(next->free, s->a);

		if (s->nodes && (work + s->taken) / s->speed <= from)
			break;
		s->speed += next->speed;
		s->taken += next->speed * from;
		s->nodes++;
	}
	return (work + s->taken) / s->speed;
}

/* The best bound of tasks that cannot start before @a. */
static double bound_from(const struct bounder *b, double a)
{
	const struct workflow *w = b->w;
	struct supply s = {.a = a};
	double work = 0, best = 0;
	size_t width = 0;

	for (size_t i = 0; i < w->tasks.n; i++) {
		size_t t = b->by_tail[i].at;
		const struct work_task *task = &w->tasks.at[t];

		if (b->head[t] < a)
			continue;
		work += task->seconds * (double)task->width;
		width += task->width;
		best = fmax(best, supply_end(b, &s, work) + b->tail[t]);
		/* So few are on the fastest nodes. */
		if (width < w->nodes.n)
			best = fmax(best, a + work / b->fastest[width] + b->tail[t]);
	}
	return best;
}

/* Sort into arrays of their own; heads that are tried: all, or some that lie evenly among them. */
static double bound_of_heads(struct bounder *b)
{
	const struct workflow *w = b->w;
	struct work_keyed *heads = mem_new(w->tasks.n, sizeof(*heads));
	double best = 0, last = -1;

	for (size_t i = 0; i < w->tasks.n; i++) {
		heads[i] = (struct work_keyed){b->head[i], i, i};
		b->by_tail[i] = (struct work_keyed){-b->tail[i], i, i};
	}
	for (size_t i = 0; i < w->nodes.n; i++) {
		b->by_free[i] = (struct work_keyed){w->nodes.at[i].free, i, i};
		b->fastest[i + 1] = b->fastest[i] + w->nodes.at[w->by_speed[i]].speed;
	}
	qsort(heads, w->tasks.n, sizeof(*heads), work_by_key);
	qsort(b->by_tail, w->tasks.n, sizeof(*b->by_tail), work_by_key);
	qsort(b->by_free, w->nodes.n, sizeof(*b->by_free), work_by_key);
	for (size_t i = 0; i < w->tasks.n; i += 1 + (w->tasks.n - 1) / HEADS) {
		if (heads[i].key == last)
			continue;
		last = heads[i].key;
		best = fmax(best, bound_from(b, last));
	}
	free(heads);
	return best;
}

double work_bound(const struct workflow *w)
{
	double *head = mem_new(w->tasks.n, sizeof(*head)), *tail = mem_new(w->tasks.n, sizeof(*tail));
	struct bounder b = {.w = w, .head = head, .tail = tail};
	double path = 0, late = 0;

	work_heads(w, head, tail);
	for (size_t t = 0; t < w->tasks.n; t++) {
		const struct work_task *task = &w->tasks.at[t];
		double end = head[t] + work_least_seconds(w, task);

		path = fmax(path, end + tail[t]);
		late += fmax(end - task->deadline, 0);
	}
	b.by_tail = mem_new(w->tasks.n, sizeof(*b.by_tail));
	b.by_free = mem_new(w->nodes.n, sizeof(*b.by_free));
	b.fastest = mem_new(w->nodes.n + 1, sizeof(*b.fastest));
	path = fmax(path, bound_of_heads(&b));
	free(b.by_tail);
	free(b.by_free);
	free(b.fastest);
	free(head);
	free(tail);
	return path + late;
}
