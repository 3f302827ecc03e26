/* SPDX-License-Identifier: MIT */
/*
 * Local search over the order of starts: some tasks, most of them on a critical path, move; all are placed anew and
 * justified from the end and from the begin.  What is not dearer than it was some steps ago is kept (late acceptance).
 */
#include <math.h>
#include <string.h>

#include "lib/rng.h"
#include "scheduler/search/search.h"

#define ROUND   64   /* schedules */
#define MEMORY  40   /* steps that are looked back */
#define PATIENT 1500 /* steps without a better schedule until it goes on from the best one */
#define EPSILON 1e-9

struct climb {
	const struct workflow *w;
	struct schedule now, trial;
	uint16_t *only, *tried,
		*best; /* of each task, as of schedule_place_in(): of now, of trial, of the best one */
	size_t pools;
	struct work_keyed *moved; /* the order of now, with keys */
	double *slack;            /* of each task of now */
	size_t *critical, n_critical;
	double memory[MEMORY];
	const struct search_limit *limit;
};

static bool is_over(const struct climb *c)
{
	return c->limit->stop && c->limit->stop(c->limit->arg);
}

/* Tasks that cannot end later without the last one ending later; or that are late, or keep one of these waiting. */
static void find_critical(struct climb *c)
{
	const struct workflow *w = c->w;
	const struct schedule *s = &c->now;
	double *from =
		mem_new(w->nodes.n, sizeof(*from)); /* the next task on the node has to start by then */

	for (size_t i = 0; i < w->nodes.n; i++)
		from[i] = s->makespan;
	c->n_critical = 0;
	for (size_t i = s->tasks; i-- > 0;) {
		size_t t = s->order[i], *host = s->host + s->first[t];
		const struct work_task *task = &w->tasks.at[t];
		double by = fmin(s->makespan, task->deadline), start;

		for (size_t k = 0; k < task->width; k++)
			by = fmin(by, from[host[k]]);
		for (size_t k = 0; k < task->next.n; k++) {
			size_t other = task->next.at[k];

			by = fmin(by, s->start[other] + c->slack[other]);
		}
		c->slack[t] = by - s->end[t];
		start = s->start[t] + c->slack[t];
		for (size_t k = 0; k < task->width; k++)
			from[host[k]] = start;
		if (c->slack[t] <= EPSILON * s->makespan)
			c->critical[c->n_critical++] = t;
	}
	free(from);
}

/* Some tasks, most of them critical, and what moves them; c->moved is in the order of c->now. */
static void move_some(struct climb *c, struct rng *rng, double reach)
{
	size_t n = c->w->tasks.n, kind = rng_below(rng, 4);
	double middle = c->now.makespan * rng_unit(rng);

	/* A window in which all may change places. */
	for (size_t i = 0; kind == 3 && i < n; i++)
		if (fabs(c->moved[i].key - middle) < reach)
			c->moved[i].key += reach * (rng_unit(rng) - 0.5);
	for (size_t k = kind == 3 ? 0 : 1 + rng_below(rng, 5); k; k--) {
		bool critical = kind < 2 && c->n_critical;
		size_t t = critical ? c->critical[rng_below(rng, c->n_critical)] : rng_below(rng, n);

		/* Where it stands is not known: its start is. */
		for (size_t i = 0; i < n; i++)
			if (c->moved[i].at == t)
				c->moved[i].key +=
					reach * (critical ? -2 * rng_unit(rng) : 4 * rng_unit(rng) - 2);
	}
}

/* Some tasks take nodes of another speed, or such of one speed alone. */
static void change_pools(struct climb *c, struct rng *rng)
{
	for (uint64_t k = rng_below(rng, 4); k && c->pools > 1; k--) {
		size_t t = c->n_critical && rng_below(rng, 2) ? c->critical[rng_below(rng, c->n_critical)]
							      : rng_below(rng, c->w->tasks.n);
		uint64_t pool = rng_below(rng, 2) ? 0 : 1 + rng_below(rng, c->pools);

		c->tried[t] = (uint16_t)(pool | (rng_below(rng, 2) ? PLACE_PURE : 0));
	}
}

static void try_one(struct climb *c, struct rng *rng)
{
	size_t n = c->w->tasks.n;
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		size_t t = c->now.order[i];

		c->moved[i] = (struct work_keyed){c->now.start[t], i, t};
		sum += c->now.end[t] - c->now.start[t];
	}
	memcpy(c->tried, c->only, n * sizeof(*c->tried));
	move_some(c, rng, sum / (double)n);
	change_pools(c, rng);
	work_sort_again(c->moved, n);
	for (size_t i = 0; i < n; i++)
		c->trial.order[i] = c->moved[i].at;
	schedule_place_in(c->w, &c->trial, c->tried);
}

/* Justify c->trial as long as that helps; what it was stays in @kept if it is better. */
static void local_settle(struct climb *c, struct schedule *kept)
{
	for (int i = 0; i < 2 && !is_over(c); i++) {
		schedule_copy(kept, &c->trial);
		schedule_justify(c->w, &c->trial, c->tried);
		if (c->trial.cost >= kept->cost * (1 - EPSILON)) {
			if (c->trial.cost > kept->cost)
				schedule_copy(&c->trial, kept);
			break;
		}
	}
}

static void accept(struct climb *c)
{
	schedule_copy(&c->now, &c->trial);
	memcpy(c->only, c->tried, c->w->tasks.n * sizeof(*c->only));
	find_critical(c);
}

/* The best of trial and @s is @s, with its pools. */
static void keep_best(struct climb *c, struct schedule *s)
{
	if (c->trial.cost >= s->cost)
		return;
	schedule_copy(s, &c->trial);
	memcpy(c->best, c->tried, c->w->tasks.n * sizeof(*c->best));
}

/* Go on from the best one. */
static void begin_anew(struct climb *c, const struct schedule *s)
{
	schedule_copy(&c->trial, s);
	memcpy(c->tried, c->best, c->w->tasks.n * sizeof(*c->tried));
	accept(c);
}

/* From the lists, with any nodes and with such of one speed for each task. */
static void begin_with(struct climb *c, struct schedule *s, struct schedule *kept)
{
	void (*const lists[])(const struct workflow *, struct schedule *) = {search_heft, search_fifo,
									     search_latest};
	size_t n = sizeof(lists) / sizeof(lists[0]);

	for (size_t i = 0; i < 2 * n && !is_over(c); i++) {
		for (size_t t = 0; t < c->w->tasks.n; t++)
			c->tried[t] = i < n ? 0 : PLACE_PURE;
		lists[i % n](c->w, &c->trial);
		if (i >= n)
			schedule_place_in(c->w, &c->trial, c->tried);
		local_settle(c, kept);
		keep_best(c, s);
	}
	begin_anew(c, s);
	for (size_t i = 0; i < MEMORY; i++)
		c->memory[i] = c->now.cost;
}

static void climb_release(struct climb *c)
{
	schedule_release(&c->now);
	schedule_release(&c->trial);
	free(c->only);
	free(c->tried);
	free(c->best);
	free(c->moved);
	free(c->slack);
	free(c->critical);
}

/* Steps until @limit or the bound; @s is the best schedule. */
static void climb_steps(struct climb *c, struct schedule *s, uint64_t seed, struct schedule *kept)
{
	double goal = work_bound(c->w) * (1 + EPSILON);
	size_t since = 0;

	for (uint64_t step = 0; step < c->limit->effort * ROUND && s->cost > goal && !is_over(c); step++) {
		struct rng rng = rng_keyed(seed, step, 5, 0);
		double *before = &c->memory[step % MEMORY];

		try_one(c, &rng);
		local_settle(c, kept);
		if (c->trial.cost <= fmax(c->now.cost, *before))
			accept(c);
		*before = c->now.cost;
		since++;
		if (c->trial.cost < s->cost * (1 - EPSILON)) {
			keep_best(c, s);
			since = 0;
		} else if (since >= PATIENT) {
			begin_anew(c, s);
			since = 0;
		}
	}
}

void search_local(const struct workflow *w, struct schedule *s, uint64_t seed,
		  const struct search_limit *limit)
{
	size_t n = w->tasks.n;
	struct climb c = {
		.w = w,
		.only = mem_new(n, sizeof(*c.only)),
		.tried = mem_new(n, sizeof(*c.tried)),
		.best = mem_new(n, sizeof(*c.best)),
		.moved = mem_new(n, sizeof(*c.moved)),
		.slack = mem_new(n, sizeof(*c.slack)),
		.critical = mem_new(n, sizeof(*c.critical)),
		.pools = work_pools(w),
		.limit = limit,
	};
	struct schedule kept;

	schedule_make(&c.now, w);
	schedule_make(&c.trial, w);
	schedule_make(&kept, w);
	schedule_decode(w, s);
	begin_with(&c, s, &kept);
	climb_steps(&c, s, seed, &kept);
	schedule_release(&kept);
	climb_release(&c);
}
