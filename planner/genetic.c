/* SPDX-License-Identifier: MIT */
#include "planner/genetic.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/rng.h"
#include "planner/baseline.h"

#define POPULATION      100
#define ELITE           2
#define TOURNAMENT      2
#define REPRODUCE       180 /* permille */
#define CROSSOVER       800 /* permille; the rest is mutation */
#define KNOWING         80  /* permille of new individuals made from domain knowledge */
#define MAX_CUTS        4
#define ALIKE_PERMILLE  20 /* mean distance to the best below which the population is renewed */
#define INCEST_PERMILLE 30 /* parents must differ in more genes than that */
#define MATE_ATTEMPTS   8

struct individual {
	struct design d;
	struct cost cost;
};

struct genetic {
	const struct problem *pb;
	const struct genetic_options *opts;
	struct scratch *s;
	struct evaluation ev;
	struct individual now[POPULATION], next[POPULATION];
	uint32_t *genes; /* seats that are free */
	uint32_t n_units_genes, n_step_genes;
	uint64_t generation;
	uint64_t evaluations;
};

static uint32_t n_genes(const struct genetic *g)
{
	return g->n_units_genes + g->n_step_genes;
}

/* Copy gene @i. */
static void copy_gene(const struct genetic *g, struct design *to, const struct design *from, uint32_t i)
{
	if (i < g->n_units_genes)
		to->unit[g->genes[i]] = from->unit[g->genes[i]];
	else
		to->step[i - g->n_units_genes] = from->step[i - g->n_units_genes];
}

static bool same_gene(const struct genetic *g, const struct design *a, const struct design *b, uint32_t i)
{
	if (i < g->n_units_genes)
		return a->unit[g->genes[i]] == b->unit[g->genes[i]];
	return a->step[i - g->n_units_genes] == b->step[i - g->n_units_genes];
}

static void draw_gene(const struct genetic *g, struct design *d, uint32_t i, struct rng *rng)
{
	if (i < g->n_units_genes)
		d->unit[g->genes[i]] = (uint16_t)rng_below(rng, g->pb->machine->n_units);
	else
		d->step[i - g->n_units_genes] = (uint8_t)rng_below(rng, g->pb->machine->n_steps);
}

static uint32_t distance(const struct genetic *g, const struct design *a, const struct design *b)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < n_genes(g); i++)
		n += !same_gene(g, a, b, i);
	return n;
}

static void measure(struct genetic *g, struct individual *it)
{
	eval_all(g->pb, &it->d, g->s, &g->ev);
	it->cost = g->ev.total;
	g->evaluations++;
}

/* ---- new individuals ---- */

/* Threads that seldom move: one unit a thread, few packages, one step a domain. */
static void make_knowing(const struct genetic *g, struct design *d, struct rng *rng)
{
	const struct machine *m = g->pb->machine;
	uint32_t packages = 1 + (uint32_t)rng_below(rng, m->n_packages);
	uint32_t n_units = m->packages[packages - 1].last;

	switch (rng_below(rng, 4)) {
	case 0:
		baseline_balance(g->pb, n_units, true, d);
		break;
	case 1:
		baseline_cluster(g->pb, rng_below(rng, 2), d);
		break;
	default:
		for (uint32_t i = 0; i < g->n_units_genes; i++) {
			struct rng own = rng_keyed(rng->state, g->pb->seats[g->genes[i]].thread, 1, 0);

			d->unit[g->genes[i]] = (uint16_t)rng_below(&own, n_units);
		}
		break;
	}
	for (uint32_t k = 0; k < m->n_domains; k++) {
		uint8_t f = rng_below(rng, 2) ? 0 : (uint8_t)rng_below(rng, m->n_steps);

		for (uint32_t era = 0; era < g->pb->n_eras; era++)
			d->step[(size_t)era * m->n_domains + k] = f;
	}
}

static void make_new(struct genetic *g, struct individual *it, struct rng *rng)
{
	if (rng_below(rng, 1000) < KNOWING)
		make_knowing(g, &it->d, rng);
	else
		for (uint32_t i = 0; i < n_genes(g); i++)
			draw_gene(g, &it->d, i, rng);
	measure(g, it);
}

/* ---- operators ---- */

static const struct individual *tournament(const struct genetic *g, struct rng *rng)
{
	uint32_t best = (uint32_t)rng_below(rng, POPULATION);

	for (int i = 1; i < TOURNAMENT; i++) {
		uint32_t other = (uint32_t)rng_below(rng, POPULATION);
		int c = cost_compare(&g->now[other].cost, &g->now[best].cost, &g->opts->goal);

		if (c < 0 || (c == 0 && other < best))
			best = other;
	}
	return &g->now[best];
}

/* A partner that is not a close relative; the last one drawn if there is none. */
static const struct individual *partner(const struct genetic *g, const struct individual *to, struct rng *rng)
{
	const struct individual *it = NULL;

	for (int i = 0; i < MATE_ATTEMPTS; i++) {
		it = tournament(g, rng);
		if (distance(g, &it->d, &to->d) * 1000ull > (uint64_t)n_genes(g) * INCEST_PERMILLE)
			return it;
	}
	return NULL;
}

static void mutate(const struct genetic *g, struct design *d, struct rng *rng)
{
	uint32_t n = 1 + (uint32_t)rng_below(rng, 3);

	while (n--)
		draw_gene(g, d, (uint32_t)rng_below(rng, n_genes(g)), rng);
}

static void cross(const struct genetic *g, struct design *child, const struct design *other, struct rng *rng)
{
	uint32_t cuts[MAX_CUTS], n = 1 + (uint32_t)rng_below(rng, MAX_CUTS);

	for (uint32_t i = 0; i < n; i++)
		cuts[i] = (uint32_t)rng_below(rng, n_genes(g));
	for (uint32_t i = 0; i < n_genes(g); i++) {
		uint32_t side = 0;

		for (uint32_t k = 0; k < n; k++)
			side += i >= cuts[k];
		if (side % 2)
			copy_gene(g, child, other, i);
	}
}

static void make_child(struct genetic *g, struct individual *child, struct rng *rng)
{
	const struct individual *mother = tournament(g, rng), *father;
	uint64_t draw = rng_below(rng, 1000);

	design_copy(&child->d, &mother->d, g->pb);
	child->cost = mother->cost;
	if (draw < REPRODUCE)
		return;
	father = draw < REPRODUCE + CROSSOVER ? partner(g, mother, rng) : NULL;
	if (father) {
		cross(g, &child->d, &father->d, rng);
		if (rng_below(rng, 4) == 0)
			mutate(g, &child->d, rng);
	} else {
		mutate(g, &child->d, rng);
	}
	measure(g, child);
}

/* ---- generations ---- */

static int compare_individuals(const void *a, const void *b, void *ctx)
{
	const struct genetic *g = ctx;
	const struct individual *x = a, *y = b;

	return cost_compare(&x->cost, &y->cost, &g->opts->goal);
}

/* Best first; a stable order, since equal costs must not depend on the library's sort. */
static void sort_population(struct genetic *g)
{
	for (uint32_t i = 1; i < POPULATION; i++) {
		struct individual it = g->now[i];
		uint32_t at = i;

		for (; at > 0 && compare_individuals(&it, &g->now[at - 1], g) < 0; at--)
			g->now[at] = g->now[at - 1];
		g->now[at] = it;
	}
}

static bool alike(const struct genetic *g)
{
	uint64_t sum = 0;

	for (uint32_t i = 1; i < POPULATION; i++)
		sum += distance(g, &g->now[i].d, &g->now[0].d);
	return sum * 1000 < (uint64_t)n_genes(g) * (POPULATION - 1) * ALIKE_PERMILLE;
}

static void renew(struct genetic *g, uint32_t from)
{
	for (uint32_t i = from; i < POPULATION; i++) {
		struct rng rng = rng_keyed(g->opts->seed, g->generation, i, 1);

		make_new(g, &g->now[i], &rng);
	}
}

static void next_generation(struct genetic *g)
{
	struct individual swap;

	for (uint32_t i = 0; i < ELITE; i++) {
		design_copy(&g->next[i].d, &g->now[i].d, g->pb);
		g->next[i].cost = g->now[i].cost;
	}
	for (uint32_t i = ELITE; i < POPULATION; i++) {
		struct rng rng = rng_keyed(g->opts->seed, g->generation, i, 0);

		make_child(g, &g->next[i], &rng);
	}
	for (uint32_t i = 0; i < POPULATION; i++) {
		swap = g->now[i];
		g->now[i] = g->next[i];
		g->next[i] = swap;
	}
}

static void genetic_init(struct genetic *g, const struct design *best)
{
	const struct problem *pb = g->pb;

	evaluation_init(&g->ev, pb, true);
	g->genes = mem_new(pb->n_seats + 1, sizeof(*g->genes));
	for (uint32_t i = 0; i < pb->n_seats; i++)
		if (pb->seats[i].kind != SEAT_FIXED && pb->seats[i].kind != SEAT_FOLLOW)
			g->genes[g->n_units_genes++] = i;
	g->n_step_genes = pb->machine->n_steps > 1 ? pb->n_eras * pb->machine->n_domains : 0;
	for (uint32_t i = 0; i < POPULATION; i++) {
		design_init(&g->now[i].d, pb);
		design_init(&g->next[i].d, pb);
		design_copy(&g->now[i].d, best, pb);
		design_copy(&g->next[i].d, best, pb);
	}
}

static void genetic_release(struct genetic *g)
{
	for (uint32_t i = 0; i < POPULATION; i++) {
		design_release(&g->now[i].d);
		design_release(&g->next[i].d);
	}
	evaluation_release(&g->ev);
	free(g->genes);
}

void genetic_search(const struct problem *pb, const struct genetic_options *opts, struct scratch *s,
		    struct design *best, uint64_t *evaluations)
{
	struct genetic *g = mem_new(1, sizeof(*g));

	*g = (struct genetic){.pb = pb, .opts = opts, .s = s};
	genetic_init(g, best);
	measure(g, &g->now[0]);
	renew(g, 1);
	sort_population(g);
	while (n_genes(g) && g->evaluations < opts->max_evaluations &&
	       !(opts->stop && opts->stop(opts->ctx))) {
		g->generation++;
		if (alike(g))
			renew(g, ELITE);
		else
			next_generation(g);
		sort_population(g);
	}
	design_copy(best, &g->now[0].d, pb);
	*evaluations += g->evaluations;
	genetic_release(g);
	free(g);
}
