/* SPDX-License-Identifier: MIT */
/* TITAN's operators on islands: orders and nodes are spliced at a random point, and mutated apart. */
#include <string.h>

#include "lib/rng.h"
#include "scheduler/search/search.h"

#define ISLANDS 4
#define CROWD   16 /* schedules of an island */
#define SAIL    8  /* generations between two exchanges */

struct island {
	struct schedule at[CROWD];
	size_t best;
};

struct world {
	const struct workflow *w;
	uint64_t seed;
	struct island island[ISLANDS];
	struct schedule child;
	size_t *place; /* of each task, for order_cross() */
};

/*
 * The beginning of @a and the end of @b, from @at on.  A task that is there twice is replaced at its first place by
 * the one that stands in @a where it stands again, until none is.
 */
static void order_cross(struct world *o, const struct schedule *a, const struct schedule *b, size_t at)
{
	size_t n = a->tasks, *order = o->child.order;

	for (size_t i = 0; i < n; i++)
		o->place[i] = n;
	for (size_t i = at; i < n; i++) {
		order[i] = b->order[i];
		o->place[b->order[i]] = i;
	}
	for (size_t i = 0; i < at; i++) {
		size_t task = a->order[i];

		while (o->place[task] < n)
			task = a->order[o->place[task]];
		order[i] = task;
	}
}

/* A few tasks change places, or one moves to another place. */
static void order_mutate(struct schedule *s, struct rng *rng)
{
	for (uint64_t k = rng_below(rng, 3) + 1; k; k--) {
		size_t i = rng_below(rng, s->tasks), j = rng_below(rng, s->tasks), task = s->order[i];

		s->order[i] = s->order[j];
		s->order[j] = task;
	}
}

/* A task gives one of its nodes for another one that it does not have. */
static void hosts_mutate(const struct workflow *w, struct schedule *s, struct rng *rng)
{
	for (uint64_t k = rng_below(rng, 3) + 1; k; k--) {
		size_t t = rng_below(rng, s->tasks), width = w->tasks.at[t].width,
		       *host = s->host + s->first[t];
		size_t node = rng_below(rng, w->nodes.n), i = 0;

		while (i < width && host[i] != node)
			i++;
		if (i == width)
			host[rng_below(rng, width)] = node;
	}
}

static size_t select_one(const struct island *l, struct rng *rng)
{
	size_t a = rng_below(rng, CROWD), b = rng_below(rng, CROWD);

	return l->at[a].cost <= l->at[b].cost ? a : b;
}

/* Splice two parents, mutate, and either keep the nodes or let each task take those where it ends first. */
static void breed(struct world *o, const struct island *l, struct rng *rng)
{
	const struct schedule *a = &l->at[select_one(l, rng)], *b = &l->at[select_one(l, rng)];
	size_t n = a->tasks;

	order_cross(o, a, b, rng_below(rng, n + 1));
	memcpy(o->child.host, a->host, a->hosts * sizeof(*a->host));
	if (rng_below(rng, 2)) {
		size_t from = a->first[rng_below(rng, n)];

		memcpy(o->child.host + from, b->host + from, (a->hosts - from) * sizeof(*a->host));
	}
	if (rng_below(rng, 4))
		order_mutate(&o->child, rng);
	if (rng_below(rng, 2)) {
		schedule_place(o->w, &o->child);
		return;
	}
	hosts_mutate(o->w, &o->child, rng);
	schedule_decode(o->w, &o->child);
}

/* The child takes the place of the worst, unless it is as bad or one costs as much already. */
static void move_in(struct island *l, const struct schedule *child)
{
	size_t worst = 0;

	for (size_t i = 0; i < CROWD; i++) {
		if (l->at[i].cost == child->cost)
			return;
		worst = l->at[i].cost > l->at[worst].cost ? i : worst;
	}
	if (child->cost >= l->at[worst].cost)
		return;
	schedule_copy(&l->at[worst], child);
	if (child->cost < l->at[l->best].cost)
		l->best = worst;
}

static void world_init(struct world *o, const struct schedule *s)
{
	for (size_t i = 0; i < ISLANDS; i++)
		for (size_t k = 0; k < CROWD; k++) {
			struct rng rng = rng_keyed(o->seed, i, k, 1);
			struct schedule *at = &o->island[i].at[k];

			schedule_make(at, o->w);
			if (k == 1)
				search_fifo(o->w, at);
			else
				search_heft(o->w, at);
			if (!k)
				schedule_copy(at, s);
			for (size_t m = 2; m < k; m++)
				order_mutate(at, &rng);
			if (k > 2)
				schedule_place(o->w, at);
			if (at->cost < o->island[i].at[o->island[i].best].cost)
				o->island[i].best = k;
		}
}

void search_genetic(const struct workflow *w, struct schedule *s, uint64_t seed,
		    const struct search_limit *limit)
{
	struct world o = {.w = w, .seed = seed, .place = mem_new(w->tasks.n, sizeof(*o.place))};
	double bound = work_bound(w);

	schedule_decode(w, s);
	schedule_make(&o.child, w);
	world_init(&o, s);
	for (uint64_t round = 0; round < limit->effort && s->cost > bound * (1 + 1e-9); round++) {
		if (limit->stop && limit->stop(limit->arg))
			break;
		for (size_t i = 0; i < ISLANDS; i++)
			for (size_t k = 0; k < CROWD; k++) {
				struct rng rng = rng_keyed(seed, i, round * CROWD + k, 2);

				breed(&o, &o.island[i], &rng);
				move_in(&o.island[i], &o.child);
			}
		for (size_t i = 0; i < ISLANDS; i++) {
			const struct island *l = &o.island[i];

			if (round % SAIL == SAIL - 1)
				move_in(&o.island[(i + 1) % ISLANDS], &l->at[l->best]);
			if (l->at[l->best].cost < s->cost)
				schedule_copy(s, &l->at[l->best]);
		}
	}
	for (size_t i = 0; i < ISLANDS * CROWD; i++)
		schedule_release(&o.island[i / CROWD].at[i % CROWD]);
	schedule_release(&o.child);
	free(o.place);
}
