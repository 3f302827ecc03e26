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

/* s->order, made topological. */
static void order_repair(const struct workflow *w, struct schedule *s)
{
	size_t n = s->tasks, *place = mem_new(3 * n, sizeof(*place)), *left = place + n, done = 0;
	size_t *order = mem_new(n, sizeof(*order));
	struct heap ready = {place + 2 * n, 0};

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
static double ready_at(const struct workflow *w, const struct schedule *s, size_t t)
{
	const struct work_task *task = &w->tasks.at[t];
	double ready = task->release;

	for (size_t k = 0; k < task->after.n; k++)
		ready = fmax(ready, s->end[task->after.at[k]]);
	return ready;
}

/* Task @t on its nodes, which are free from @freed on. */
static void task_run(const struct workflow *w, struct schedule *s, double *freed, size_t t)
{
	const struct work_task *task = &w->tasks.at[t];
	const size_t *host = s->host + s->first[t];
	double start = ready_at(w, s, t), speed = INFINITY;

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

/* The @width of the @n fastest nodes that are free first, into @out; the time when all of them are. */
static double earliest(const struct workflow *w, const double *freed, size_t n, size_t width, size_t *out)
{
	size_t have = 0;

	for (size_t i = 0; i < n; i++) {
		size_t node = w->by_speed[i], at;

		if (have == width && freed[node] >= freed[out[have - 1]])
			continue;
		at = have < width ? have++ : have - 1;
		for (; at && freed[out[at - 1]] > freed[node]; at--)
			out[at] = out[at - 1];
		out[at] = node;
	}
	return freed[out[have - 1]];
}

/* The nodes on which @t ends first: of each speed those of at least that one. */
static void task_place(const struct workflow *w, struct schedule *s, const double *freed, size_t t,
		       size_t *some)
{
	const struct work_task *task = &w->tasks.at[t];
	double ready = ready_at(w, s, t), best = INFINITY;

	for (size_t n = task->width; n <= w->nodes.n; n++) {
		double speed = w->nodes.at[w->by_speed[n - 1]].speed, end;

		if (n < w->nodes.n && w->nodes.at[w->by_speed[n]].speed == speed)
			continue;
		end = fmax(ready, earliest(w, freed, n, task->width, some)) + work_seconds(task, speed);
		if (end >= best)
			continue;
		best = end;
		memcpy(s->host + s->first[t], some, task->width * sizeof(*some));
	}
}

static void run_all(const struct workflow *w, struct schedule *s, bool place)
{
	double *freed = mem_new(w->nodes.n, sizeof(*freed));
	size_t *some = mem_new(w->nodes.n, sizeof(*some));

	order_repair(w, s);
	s->makespan = s->late = 0;
	for (size_t i = 0; i < w->nodes.n; i++)
		freed[i] = w->nodes.at[i].free;
	for (size_t i = 0; i < s->tasks; i++) {
		if (place)
			task_place(w, s, freed, s->order[i], some);
		task_run(w, s, freed, s->order[i]);
	}
	s->cost = s->makespan + s->late;
	free(freed);
	free(some);
}

void schedule_decode(const struct workflow *w, struct schedule *s)
{
	run_all(w, s, false);
}

void schedule_place(const struct workflow *w, struct schedule *s)
{
	run_all(w, s, true);
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
