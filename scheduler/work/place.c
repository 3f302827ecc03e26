/* SPDX-License-Identifier: MIT */
/*
 * Each task where it ends first, holes that earlier ones left included.  Nodes of one speed are alike: they are
 * counted while tasks are placed, and named when all starts are known.  That always works: tasks in the order of
 * their starts never overlap on more nodes of a speed than were counted.
 */
#include <math.h>
#include <string.h>

#include "scheduler/work/schedule.h"

/* As fmax() of two numbers that are none but numbers, without a call. */
static inline double later(double a, double b)
{
	return a > b ? a : b;
}

struct step {
	double at; /* from then on, up to the next step, */
	size_t free;
};

/* The nodes of one speed. */
struct pool {
	double speed;
	size_t first, n;               /* in w->by_speed */
	struct VEC(struct step) steps; /* the last one, with all free, has no end */
	size_t seen;                   /* the step at the time that packer_earliest() looks at */
	size_t found; /* the step of the time that pool_earliest() found, until nodes are taken */
	size_t turn;  /* the node to be looked at next */
};

struct packer {
	const struct workflow *w;
	struct VEC(struct pool) pools; /* the fastest first */
	bool back;                     /* time runs from the end to the begin */
};

size_t work_pools(const struct workflow *w)
{
	size_t n = 1;

	for (size_t i = 1; i < w->nodes.n; i++)
		n += w->nodes.at[w->by_speed[i]].speed != w->nodes.at[w->by_speed[i - 1]].speed;
	return n;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Nodes of @p that are free from the begin, and those that become so. */
static void pool_begin(const struct packer *k, struct pool *p, double *freed)
{
	for (size_t i = 0; i < p->n; i++)
		freed[i] = k->back ? 0 : fmax(k->w->nodes.at[k->w->by_speed[p->first + i]].free, 0);
	qsort(freed, p->n, sizeof(*freed), by_value);
	vec_push(&p->steps, ((struct step){0, 0}));
	for (size_t i = 0; i < p->n; i++) {
		if (freed[i] > p->steps.at[p->steps.n - 1].at)
			vec_push(&p->steps, ((struct step){freed[i], i}));
		p->steps.at[p->steps.n - 1].free++;
	}
}

static void packer_begin(struct packer *k, const struct workflow *w, bool back)
{
	double *freed = mem_new(w->nodes.n, sizeof(*freed));

	*k = (struct packer){.w = w, .back = back};
	for (size_t i = 0; i < w->nodes.n; i++) {
		double speed = w->nodes.at[w->by_speed[i]].speed;

		if (!k->pools.n || k->pools.at[k->pools.n - 1].speed != speed)
			vec_push(&k->pools, ((struct pool){.speed = speed, .first = i}));
		k->pools.at[k->pools.n - 1].n++;
	}
	for (size_t i = 0; i < k->pools.n; i++)
		pool_begin(k, &k->pools.at[i], freed);
	free(freed);
}

static void packer_end(struct packer *k)
{
	for (size_t i = 0; i < k->pools.n; i++)
		vec_release(&k->pools.at[i].steps);
	vec_release(&k->pools);
}

/* The step that holds at @t, 0 or later. */
static size_t step_at(const struct pool *p, double t)
{
	size_t low = 0, high = p->steps.n;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (p->steps.at[middle].at <= t)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The step that begins at @t, made if there is none; step @i holds there, or in front of it. */
static size_t step_begin(struct pool *p, size_t i, double t)
{
	struct step *s = p->steps.at;

	while (i + 1 < p->steps.n && s[i + 1].at <= t)
		i++;
	if (s[i].at == t)
		return i;
	vec_push(&p->steps, p->steps.at[i]);
	s = p->steps.at;
	memmove(s + i + 2, s + i + 1, (p->steps.n - i - 2) * sizeof(*s));
	s[i + 1] = (struct step){t, s[i].free};
	return i + 1;
}

/* Step @i is as the one in front of it: they are one. */
static void step_merge(struct pool *p, size_t i)
{
	struct step *s = p->steps.at;

	if (!i || i >= p->steps.n || s[i].free != s[i - 1].free)
		return;
	memmove(s + i, s + i + 1, (p->steps.n - i - 1) * sizeof(*s));
	p->steps.n--;
}

/* From @start, at which step @i holds, to @end. */
static void pool_take(struct pool *p, size_t i, double start, double end, size_t nodes)
{
	size_t from = step_begin(p, i, start), to = step_begin(p, from, end);

	for (size_t k = from; k < to; k++)
		p->steps.at[k].free -= nodes;
	step_merge(p, to);
	step_merge(p, from);
}

/*
 * When @width nodes of @p are free for @seconds, at @ready or later; there are as many.  If they would not end before
 * @by: any time that is too late as well.
 */
static double pool_earliest(struct pool *p, size_t width, double ready, double seconds, double by)
{
	const struct step *s = p->steps.at;
	size_t n = p->steps.n;

	for (size_t i = step_at(p, ready);;) {
		double start;

		while (s[i].free < width)
			i++;
		p->found = i;
		start = later(ready, s[i].at);
		if (start + seconds >= by)
			return start;
		while (i + 1 < n && s[i + 1].at < start + seconds && s[i + 1].free >= width)
			i++;
		if (i + 1 == n || s[i + 1].at >= start + seconds)
			return start;
		i++;
	}
}

/* The least that is free in @p from @start to @end. */
static size_t pool_least(const struct pool *p, double start, double end)
{
	const struct step *s = p->steps.at;
	size_t i = step_at(p, start), least = s[i].free;

	for (i++; least && i < p->steps.n && s[i].at < end; i++)
		least = s[i].free < least ? s[i].free : least;
	return least;
}

/* The time behind @t when nodes become free in the first @n pools; INFINITY: never.  Pools are seen at @t. */
static double next_rise(const struct packer *k, size_t n, double t)
{
	double next = INFINITY;

	for (size_t j = 0; j < n; j++) {
		struct pool *p = &k->pools.at[j];
		const struct step *s = p->steps.at;
		size_t i = p->seen;

		while (i + 1 < p->steps.n && (s[i + 1].at <= t || s[i + 1].free <= s[i].free))
			i++;
		if (i + 1 < p->steps.n)
			next = fmin(next, s[i + 1].at);
	}
	return next;
}

/* Nodes that are free in the first @n pools at @t, not before the last time that was asked for. */
static size_t free_at(const struct packer *k, size_t n, double t)
{
	size_t sum = 0;

	for (size_t j = 0; j < n; j++) {
		struct pool *p = &k->pools.at[j];

		while (p->seen + 1 < p->steps.n && p->steps.at[p->seen + 1].at <= t)
			p->seen++;
		sum += p->steps.at[p->seen].free;
	}
	return sum;
}

/* The first time from @t to @end when less than @width nodes are free; INFINITY: never.  Pools are seen at it, or @end. */
static double first_lack(const struct packer *k, size_t n, size_t width, double t, double end)
{
	while (t < end) {
		double next = INFINITY;

		if (free_at(k, n, t) < width)
			return t;
		for (size_t j = 0; j < n; j++) {
			const struct pool *p = &k->pools.at[j];

			if (p->seen + 1 < p->steps.n)
				next = fmin(next, p->steps.at[p->seen + 1].at);
		}
		t = next;
	}
	return INFINITY;
}

static void see(const struct packer *k, size_t n, double t)
{
	for (size_t j = 0; j < n; j++)
		k->pools.at[j].seen = step_at(&k->pools.at[j], t);
}

/* As pool_earliest(), of the first @n pools together; some of each, the same ones all the time. */
static double packer_earliest(const struct packer *k, size_t n, size_t width, double ready, double seconds)
{
	double t = ready;

	for (see(k, n, t);;) {
		double lack = first_lack(k, n, width, t, t + seconds);
		size_t all = 0;

		if (lack != INFINITY) {
			/* No task can run across it. */
			t = next_rise(k, n, lack);
			continue;
		}
		for (size_t j = 0; j < n; j++)
			all += pool_least(&k->pools.at[j], t, t + seconds);
		if (all >= width)
			return t;
		see(k, n, t);
		t = next_rise(k, n, t);
	}
}

/* When the tasks that @t waits for have ended; from the end: those that wait for it have begun. */
static double ready_at(const struct packer *k, const struct schedule *s, size_t t)
{
	const struct work_task *task = &k->w->tasks.at[t];
	size_t n = k->back ? task->next.n : task->after.n, *at = k->back ? task->next.at : task->after.at;
	double ready = k->back ? 0 : task->release;

	for (size_t i = 0; i < n; i++)
		ready = later(ready, s->end[at[i]]);
	return ready;
}

/* The pool of the slowest node of task @t, with which it ends first; start and end go into @s. */
static size_t choose_pool(const struct packer *k, struct schedule *s, size_t t, unsigned only)
{
	const struct work_task *task = &k->w->tasks.at[t];
	double ready = ready_at(k, s, t), best = INFINITY;
	size_t nodes = 0, chosen = 0, pool = only & ~PLACE_PURE;
	bool pure = only & PLACE_PURE;

	for (size_t j = 0; j < k->pools.n; j++) {
		struct pool *p = &k->pools.at[j];
		double seconds = work_seconds(task, p->speed), start;

		nodes += p->n;
		if ((pure ? p->n : nodes) < task->width || ready + seconds >= best || (pool && pool != j + 1))
			continue;
		start = pure || task->width == 1 || !j
				? pool_earliest(p, task->width, ready, seconds, best)
				: packer_earliest(k, j + 1, task->width, ready, seconds);
		if (start + seconds >= best)
			continue;
		best = start + seconds;
		s->start[t] = start;
		s->end[t] = best;
		chosen = j;
	}
	/* What it has to take is not enough for it. */
	return best == INFINITY && only ? choose_pool(k, s, t, 0) : chosen;
}

/* Take nodes of pool @j, and of faster ones as far as those are not enough; s->host has pools for now. */
static void take_nodes(struct packer *k, struct schedule *s, size_t t, size_t j)
{
	size_t left = k->w->tasks.at[t].width, *host = s->host + s->first[t];

	for (bool single = left == 1; left; j--) {
		struct pool *p = &k->pools.at[j];
		size_t some = single ? 1 : pool_least(p, s->start[t], s->end[t]);

		some = some < left ? some : left;
		if (some)
			pool_take(p, single ? p->found : step_at(p, s->start[t]), s->start[t], s->end[t],
				  some);
		left -= some;
		while (some--)
			*host++ = j;
	}
}

static void pack(struct packer *k, struct schedule *s, const size_t *order, const uint16_t *only)
{
	for (size_t i = 0; i < s->tasks; i++)
		take_nodes(k, s, order[i], choose_pool(k, s, order[i], only ? only[order[i]] : 0));
}

/* A node of pool @p that is free at @start. */
static size_t node_free(const struct workflow *w, struct pool *p, const double *freed, double start)
{
	for (;;) {
		size_t node = w->by_speed[p->first + p->turn];

		p->turn = p->turn + 1 < p->n ? p->turn + 1 : 0;
		if (freed[node] <= start)
			return node;
	}
}

/* Tasks in the order of their starts; pools become nodes. */
static void name_nodes(struct packer *k, struct schedule *s, struct work_keyed *o)
{
	double *freed = mem_new(k->w->nodes.n, sizeof(*freed));

	for (size_t i = 0; i < k->w->nodes.n; i++)
		freed[i] = k->w->nodes.at[i].free;
	for (size_t i = 0; i < s->tasks; i++)
		o[i] = (struct work_keyed){s->start[s->order[i]], i, s->order[i]};
	work_sort_again(o, s->tasks);
	for (size_t i = 0; i < s->tasks; i++) {
		size_t t = s->order[i] = o[i].at;

		for (size_t *host = s->host + s->first[t]; host < s->host + s->first[t + 1]; host++) {
			*host = node_free(k->w, &k->pools.at[*host], freed, s->start[t]);
			freed[*host] = s->end[t];
		}
	}
	free(freed);
}

static void pack_forward(const struct workflow *w, struct schedule *s, const uint16_t *only,
			 struct work_keyed *o)
{
	struct packer k;

	packer_begin(&k, w, false);
	pack(&k, s, s->order, only);
	name_nodes(&k, s, o);
	packer_end(&k);
	schedule_decode(w, s);
}

void schedule_place_in(const struct workflow *w, struct schedule *s, const uint16_t *only)
{
	struct work_keyed *o = mem_new(s->tasks, sizeof(*o));

	schedule_order(w, s);
	pack_forward(w, s, only, o);
	free(o);
}

void schedule_place(const struct workflow *w, struct schedule *s)
{
	schedule_place_in(w, s, NULL);
}

void schedule_justify(const struct workflow *w, struct schedule *s, const uint16_t *only)
{
	struct work_keyed *o = mem_new(s->tasks, sizeof(*o));
	struct packer k;

	for (size_t i = 0; i < s->tasks; i++)
		o[i] = (struct work_keyed){-s->end[s->order[i]], s->tasks - i, s->order[i]};
	qsort(o, s->tasks, sizeof(*o), work_by_key);
	for (size_t i = 0; i < s->tasks; i++)
		s->order[i] = o[i].at;
	packer_begin(&k, w, true);
	pack(&k, s, s->order, only);
	packer_end(&k);
	/* What ended last from the end begins first. */
	for (size_t i = 0; i < s->tasks; i++)
		o[i] = (struct work_keyed){-s->end[s->order[i]], s->tasks - i, s->order[i]};
	qsort(o, s->tasks, sizeof(*o), work_by_key);
	for (size_t i = 0; i < s->tasks; i++)
		s->order[i] = o[i].at;
	pack_forward(w, s, only, o);
	free(o);
}
