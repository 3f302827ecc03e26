/* SPDX-License-Identifier: MIT */
#include "scheduler/work/schedule.h"

#include <math.h>
#include <string.h>

#include "lib/json.h"

void schedule_make(struct schedule *s, const struct workflow *w)
{
	*s = (struct schedule){.tasks = w->tasks.n};
	s->first = mem_new(s->tasks + 1, sizeof(*s->first));
	for (size_t t = 0; t < s->tasks; t++) {
		s->first[t] = s->hosts;
		s->hosts += w->tasks.at[t].width;
	}
	s->first[s->tasks] = s->hosts;
	s->order = mem_new(s->tasks, sizeof(*s->order));
	s->host = mem_new(s->hosts, sizeof(*s->host));
	s->start = mem_new(s->tasks, sizeof(*s->start));
	s->end = mem_new(s->tasks, sizeof(*s->end));
	memcpy(s->order, w->topological, s->tasks * sizeof(*s->order));
	for (size_t t = 0; t < s->tasks; t++)
		memcpy(s->host + s->first[t], w->by_speed, w->tasks.at[t].width * sizeof(*s->host));
}

void schedule_release(struct schedule *s)
{
	free(s->order);
	free(s->first);
	free(s->host);
	free(s->start);
	free(s->end);
	*s = (struct schedule){0};
}

void schedule_copy(struct schedule *to, const struct schedule *from)
{
	memcpy(to->order, from->order, from->tasks * sizeof(*from->order));
	memcpy(to->host, from->host, from->hosts * sizeof(*from->host));
	memcpy(to->start, from->start, from->tasks * sizeof(*from->start));
	memcpy(to->end, from->end, from->tasks * sizeof(*from->end));
	to->makespan = from->makespan;
	to->late = from->late;
	to->cost = from->cost;
}

/* A heap of positions in the order: the least is on top. */
struct heap {
	size_t *at, n;
};

static void heap_push(struct heap *h, size_t value)
{
	size_t i = h->n++;

	for (; i && h->at[(i - 1) / 2] > value; i = (i - 1) / 2)
		h->at[i] = h->at[(i - 1) / 2];
	h->at[i] = value;
}

static size_t heap_pop(struct heap *h)
{
	size_t top = h->at[0], last = h->at[--h->n], i = 0;

	for (size_t child = 1; child < h->n; i = child, child = 2 * i + 1) {
		child += child + 1 < h->n && h->at[child + 1] < h->at[child];
		if (h->at[child] >= last)
			break;
		h->at[i] = h->at[child];
	}
	h->at[i] = last;
	return top;
}

/* Does each task stand behind all that it waits for? */
static bool is_topological(const struct workflow *w, const struct schedule *s)
{
	bool *done = mem_new(s->tasks, sizeof(*done)), is = true;

	for (size_t i = 0; is && i < s->tasks; i++) {
		const struct work_task *task = &w->tasks.at[s->order[i]];

		for (size_t k = 0; is && k < task->after.n; k++)
			is = done[task->after.at[k]];
		done[s->order[i]] = true;
	}
	free(done);
	return is;
}

void schedule_order(const struct workflow *w, struct schedule *s)
{
	size_t n = s->tasks, *place, *left, *order, done = 0;
	struct heap ready = {0};

	if (is_topological(w, s))
		return;
	place = mem_new(3 * n, sizeof(*place));
	left = place + n;
	ready.at = place + 2 * n;
	order = mem_new(n, sizeof(*order));
	for (size_t i = 0; i < n; i++) {
		place[s->order[i]] = i;
		left[i] = w->tasks.at[i].after.n;
	}
	for (size_t t = 0; t < n; t++)
		if (!left[t])
			heap_push(&ready, place[t]);
	while (ready.n) {
		size_t t = s->order[heap_pop(&ready)];

		order[done++] = t;
		for (size_t k = 0; k < w->tasks.at[t].next.n; k++)
			if (!--left[w->tasks.at[t].next.at[k]])
				heap_push(&ready, place[w->tasks.at[t].next.at[k]]);
	}
	free(place);
	free(s->order);
	s->order = order;
}

/* When the tasks that @t waits for have ended. */
static double waits_until(const struct workflow *w, const struct schedule *s, size_t t)
{
	const struct work_task *task = &w->tasks.at[t];
	double ready = task->release;

	for (size_t k = 0; k < task->after.n; k++)
		ready = s->end[task->after.at[k]] > ready ? s->end[task->after.at[k]] : ready;
	return ready;
}

/* Task @t on its nodes, which are free from @freed on. */
static void task_run(const struct workflow *w, struct schedule *s, double *freed, size_t t)
{
	const struct work_task *task = &w->tasks.at[t];
	const size_t *host = s->host + s->first[t];
	double start = waits_until(w, s, t), speed = INFINITY;

	for (size_t k = 0; k < task->width; k++) {
		start = fmax(start, freed[host[k]]);
		speed = fmin(speed, w->nodes.at[host[k]].speed);
	}
	s->start[t] = start;
	s->end[t] = start + work_seconds(task, speed);
	for (size_t k = 0; k < task->width; k++)
		freed[host[k]] = s->end[t];
	s->makespan = fmax(s->makespan, s->end[t]);
	s->late += fmax(s->end[t] - task->deadline, 0);
}

void schedule_decode(const struct workflow *w, struct schedule *s)
{
	double *freed = mem_new(w->nodes.n, sizeof(*freed));

	schedule_order(w, s);
	s->makespan = s->late = 0;
	for (size_t i = 0; i < w->nodes.n; i++)
		freed[i] = w->nodes.at[i].free;
	for (size_t i = 0; i < s->tasks; i++)
		task_run(w, s, freed, s->order[i]);
	s->cost = s->makespan + s->late;
	free(freed);
}

void schedule_write(const struct workflow *w, const struct schedule *s, const char *method, bool proven,
		    struct strbuf *out)
{
	double bound = work_bound(w);

	strbuf_printf(out, "schedule: 1\nworkflow: \"%s\"\nmethod: %s\n", w->hash, method);
	strbuf_printf(out, "makespan: %.9g\nlate: %.9g\nbound: %.9g\noptimal: %s\ntasks:\n", s->makespan,
		      s->late, proven ? s->cost : bound, proven ? "true" : "false");
	for (size_t i = 0; i < s->tasks; i++) {
		size_t t = s->order[i];

		strbuf_puts(out, "  - task: ");
		json_quote(out, w->tasks.at[t].name);
		strbuf_printf(out, "\n    start: %.12g\n    end: %.12g\n    nodes: [", s->start[t],
			      s->end[t]);
		for (size_t k = 0; k < w->tasks.at[t].width; k++) {
			strbuf_puts(out, k ? ", " : "");
			json_quote(out, w->nodes.at[s->host[s->first[t] + k]].name);
		}
		strbuf_puts(out, "]\n");
	}
}
