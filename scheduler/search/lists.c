/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "scheduler/search/search.h"

struct ranked {
	double rank;
	size_t task;
};

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->rank != y->rank ? (x->rank < y->rank) - (x->rank > y->rank)
				  : (x->task > y->task) - (x->task < y->task);
}

/* The order of falling ranks, placed. */
static void place_by(const struct workflow *w, struct schedule *s, struct ranked *r)
{
	qsort(r, w->tasks.n, sizeof(*r), by_rank);
	for (size_t i = 0; i < w->tasks.n; i++)
		s->order[i] = r[i].task;
	schedule_place(w, s);
}

void search_fifo(const struct workflow *w, struct schedule *s)
{
	struct ranked *r = mem_new(w->tasks.n, sizeof(*r));

	for (size_t t = 0; t < w->tasks.n; t++)
		r[t] = (struct ranked){-w->tasks.at[t].release, t};
	place_by(w, s, r);
	free(r);
}

void search_heft(const struct workflow *w, struct schedule *s)
{
	struct ranked *r = mem_new(w->tasks.n, sizeof(*r));
	double speed = 0;

	for (size_t i = 0; i < w->nodes.n; i++)
		speed += w->nodes.at[i].speed / (double)w->nodes.n;
	for (size_t i = w->tasks.n; i-- > 0;) {
		size_t t = w->topological[i];
		const struct work_task *task = &w->tasks.at[t];

		r[t] = (struct ranked){0, t};
		for (size_t k = 0; k < task->next.n; k++)
			r[t].rank = fmax(r[t].rank, r[task->next.at[k]].rank);
		r[t].rank += work_seconds(task, speed);
	}
	place_by(w, s, r);
	free(r);
}

void search_latest(const struct workflow *w, struct schedule *s)
{
	size_t n = w->tasks.n;
	double *head = mem_new(n, sizeof(*head)), *tail = mem_new(n, sizeof(*tail)), end = 0;
	struct ranked *r = mem_new(n, sizeof(*r));

	work_heads(w, head, tail);
	for (size_t t = 0; t < n; t++)
		end = fmax(end, head[t] + work_least_seconds(w, &w->tasks.at[t]) + tail[t]);
	for (size_t i = n; i-- > 0;) {
		size_t t = w->topological[i];
		const struct work_task *task = &w->tasks.at[t];
		double by = fmin(end, task->deadline);

		/* Of those behind it the ranks, which are less what they have to start at. */
		for (size_t k = 0; k < task->next.n; k++)
			by = fmin(by, -r[task->next.at[k]].rank);
		r[t] = (struct ranked){work_least_seconds(w, task) - by, t};
	}
	place_by(w, s, r);
	free(head);
	free(tail);
	free(r);
}
