/* SPDX-License-Identifier: MIT */
#include "planner/heuristic/genetic.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/cost/baseline.h"
#include "planner/heuristic/local.h"

#define POPULATION      32
#define FEWEST          6                 /* of individuals that are too large for a whole population */
#define MEMORY          ((size_t)2 << 20) /* that a population of more than that may take, bytes */
#define ELITE           2
#define TOURNAMENT      2
#define REPRODUCE       100 /* permille of the children */
#define KNOWING         250 /* permille of new individuals made from domain knowledge */
#define SHAKEN          500 /* permille of them that are the best with some phases drawn anew */
#define WHOLE_RUN       16  /* one window in so many is all phases */
#define MAX_WINDOW      8
#define MAX_CUTS        4
#define MAX_KICK        6  /* genes */
#define ALIKE_PERMILLE  20 /* mean distance to the best below which the population is renewed */
#define INCEST_PERMILLE 30 /* parents must differ in more genes than that */
#define MATE_ATTEMPTS   8
#define MIN_CREDIT      50   /* permille */
#define EVAL_WORK       8    /* threads and units that are evaluated in one unit of effort */
#define DESCENT_WORK    4000 /* of a local search, for each of its phases, at most */

struct tally {
	uint64_t wins, work;
};

struct genetic {
	const struct problem *pb;
	struct genetic_options opts;
	struct genome genome;
	struct scratch s;
	struct individual now[POPULATION], next[POPULATION];
	uint32_t n; /* individuals */
	struct genetic_counts counts;
	struct tally tally[GENETIC_OPERATORS]; /* since the credit was given last */
	uint64_t phase_work;                   /* effort of evaluating one */
	uint64_t generation;
	uint64_t max_work;
};

static bool better(const struct genetic *g, const struct individual *a, const struct individual *b)
{
	return cost_compare(&a->ev.total, &b->ev.total, &g->opts.goal) < 0;
}

static void genetic_measure(struct genetic *g, struct individual *it)
{
	eval_all(g->pb, &it->d, &g->s, &it->ev);
	g->counts.evaluations++;
	g->counts.work += g->pb->n_phases * g->phase_work;
}

static void derive(struct genetic *g, struct individual *child, const struct individual *mother,
		   const struct individual *father)
{
	g->counts.work += g->phase_work * genome_derive(&g->genome, child, mother, father, &g->s) + 1;
	g->counts.evaluations++;
}

/* Some phases that follow each other: one, a few of them, or all. */
static void draw_window(const struct genetic *g, struct rng *rng, uint32_t *first, uint32_t *last)
{
	uint32_t n = g->pb->n_phases, length = 1, most = n < MAX_WINDOW ? n : MAX_WINDOW;

	if (rng_below(rng, WHOLE_RUN) == 0)
		length = n;
	else if (rng_below(rng, 2))
		length += (uint32_t)rng_below(rng, most);
	*first = (uint32_t)rng_below(rng, n - length + 1);
	*last = *first + length - 1;
}

/* Draw @count genes anew that belong to phases [first, last], or as many as are met. */
static void kick(const struct genetic *g, struct design *d, uint32_t count, uint32_t first, uint32_t last,
		 struct rng *rng)
{
	for (uint32_t tries = 8 * count; tries > 0 && count > 0; tries--) {
		uint32_t i = (uint32_t)rng_below(rng, g->genome.n), from, to;

		genome_span(&g->genome, i, &from, &to);
		if (from > last || to < first)
			continue;
		genome_draw(&g->genome, d, i, rng);
		count--;
	}
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
		for (uint32_t i = 0; i < g->genome.n_units; i++) {
			uint32_t slot = g->genome.slot[i];
			struct rng own = rng_keyed(rng->state, g->pb->slots[slot].thread, 1, 0);

			d->unit[slot] = (uint16_t)rng_below(&own, n_units);
		}
		break;
	}
	for (uint32_t k = 0; k < m->n_domains; k++) {
		uint8_t f = rng_below(rng, 2) ? 0 : (uint8_t)rng_below(rng, m->n_steps);

		for (uint32_t epoch = 0; epoch < g->pb->n_epochs; epoch++)
			d->step[(size_t)epoch * m->n_domains + k] = f;
	}
}

static void make_shaken(const struct genetic *g, struct design *d, struct rng *rng)
{
	uint32_t first, last, from, to;

	draw_window(g, rng, &first, &last);
	for (uint32_t i = 0; i < g->genome.n; i++) {
		genome_span(&g->genome, i, &from, &to);
		if (from <= last && to >= first && rng_below(rng, 2))
			genome_draw(&g->genome, d, i, rng);
	}
}

/* @best: where to begin. */
static void make_new(struct genetic *g, struct individual *it, const struct design *best, struct rng *rng)
{
	uint64_t draw = rng_below(rng, 1000);

	design_copy(&it->d, best, g->pb);
	if (draw < KNOWING)
		make_knowing(g, &it->d, rng);
	else if (draw < KNOWING + SHAKEN)
		make_shaken(g, &it->d, rng);
	else
		for (uint32_t i = 0; i < g->genome.n; i++)
			genome_draw(&g->genome, &it->d, i, rng);
	genetic_measure(g, it);
}

static void renew(struct genetic *g, uint32_t from)
{
	for (uint32_t i = from; i < g->n; i++) {
		struct rng rng =
			rng_keyed(g->opts.seed, ((uint64_t)g->opts.island << 1) | 1, g->generation, i);

		make_new(g, &g->now[i], &g->now[0].d, &rng);
	}
}

/* ---- operators ---- */

static const struct individual *tournament(const struct genetic *g, struct rng *rng)
{
	uint32_t best = (uint32_t)rng_below(rng, g->n);

	for (int i = 1; i < TOURNAMENT; i++) {
		uint32_t other = (uint32_t)rng_below(rng, g->n);

		/* The population is in order. */
		best = other < best ? other : best;
	}
	return &g->now[best];
}

/* A partner that is not a close relative, or NULL. */
static const struct individual *partner(const struct genetic *g, const struct individual *to, struct rng *rng)
{
	for (int i = 0; i < MATE_ATTEMPTS; i++) {
		const struct individual *it = tournament(g, rng);

		if (genome_distance(&g->genome, &it->d, &to->d) * 1000ull >
		    (uint64_t)g->genome.n * INCEST_PERMILLE)
			return it;
	}
	return NULL;
}

/* What runs on one unit goes to another in phases [first, last]; on one package, to the like units of another. */
static void regroup(const struct genetic *g, struct design *d, uint32_t first, uint32_t last, struct rng *rng)
{
	const struct machine *m = g->pb->machine;
	uint32_t from = (uint32_t)rng_below(rng, m->n_units), to = (uint32_t)rng_below(rng, m->n_units);
	const struct machine_package *a = &m->packages[m->units[from].package];
	const struct machine_package *b = &m->packages[m->units[to].package];
	bool whole = rng_below(rng, 2), both = rng_below(rng, 2);

	for (uint32_t i = 0; i < g->genome.n_units; i++) {
		uint16_t *unit = &d->unit[g->genome.slot[i]];
		uint32_t begin, end;

		genome_span(&g->genome, i, &begin, &end);
		if (begin > last || end < first)
			continue;
		if (whole && *unit >= a->first && *unit < a->last)
			*unit = (uint16_t)(b->first + (*unit - a->first) % (b->last - b->first));
		else if (whole && both && *unit >= b->first && *unit < b->last)
			*unit = (uint16_t)(a->first + (*unit - b->first) % (a->last - a->first));
		else if (!whole && *unit == from)
			*unit = (uint16_t)to;
		else if (!whole && both && *unit == to)
			*unit = (uint16_t)from;
	}
}

/* One step for a domain, or for all, in the epochs of phases [first, last]. */
static void retune(const struct genetic *g, struct design *d, uint32_t first, uint32_t last, struct rng *rng)
{
	const struct machine *m = g->pb->machine;
	uint32_t domain = (uint32_t)rng_below(rng, m->n_domains + 1);
	uint8_t step = (uint8_t)rng_below(rng, m->n_steps);

	for (uint32_t epoch = g->pb->phases[first].epoch; epoch <= g->pb->phases[last].epoch; epoch++)
		for (uint32_t k = 0; k < m->n_domains; k++)
			if (k == domain || domain == m->n_domains)
				d->step[(size_t)epoch * m->n_domains + k] = step;
}

static void mutate(const struct genetic *g, struct design *d, struct rng *rng)
{
	uint32_t n = 1 + (uint32_t)rng_below(rng, 3), first, last;

	draw_window(g, rng, &first, &last);
	switch (rng_below(rng, 4)) {
	case 0:
		regroup(g, d, first, last, rng);
		break;
	case 1:
		if (g->genome.n > g->genome.n_units) {
			retune(g, d, first, last, rng);
			break;
		}
		/* fall through */
	default:
		while (n--)
			genome_draw(&g->genome, d, (uint32_t)rng_below(rng, g->genome.n), rng);
		break;
	}
}

static void cross(const struct genetic *g, struct design *child, const struct design *other, struct rng *rng)
{
	uint32_t cuts[MAX_CUTS], n = 1 + (uint32_t)rng_below(rng, MAX_CUTS);

	for (uint32_t i = 0; i < n; i++)
		cuts[i] = (uint32_t)rng_below(rng, g->genome.n);
	for (uint32_t i = 0; i < g->genome.n; i++) {
		uint32_t side = 0;

		for (uint32_t k = 0; k < n; k++)
			side += i >= cuts[k];
		if (side % 2)
			genome_copy(&g->genome, child, other, i);
	}
}

/* Is phase @p cheaper as @a has it?  What the run must keep to as a whole cannot be asked of a part. */
static bool phase_better(const struct genetic *g, const struct individual *a, const struct individual *b,
			 uint32_t p)
{
	struct goal goal = g->opts.goal;
	struct cost x, y;

	goal.deadline_ns = 0;
	eval_sum(g->pb, &a->ev, p, p, &x);
	eval_sum(g->pb, &b->ev, p, p, &y);
	return cost_compare(&x, &y, &goal) < 0;
}

/* Genes go with the phase in which they begin. */
static void cross_phases(const struct genetic *g, struct design *child, const struct individual *mother,
			 const struct individual *father, struct rng *rng)
{
	const struct problem *pb = g->pb;
	bool *take = mem_new(pb->n_phases, sizeof(*take));

	for (uint32_t p = 0; p < pb->n_phases; p++)
		take[p] = phase_better(g, father, mother, p) && rng_below(rng, 8) > 0;
	for (uint32_t i = 0; i < g->genome.n; i++) {
		uint32_t first, last;

		genome_span(&g->genome, i, &first, &last);
		if (take[first])
			genome_copy(&g->genome, child, &father->d, i);
	}
	free(take);
}

static void genetic_descend(struct genetic *g, struct individual *it, bool kicked, struct rng *rng)
{
	struct local_options opts = {.goal = g->opts.goal, .stop = g->opts.stop, .ctx = g->opts.ctx};
	uint64_t used = 0;

	draw_window(g, rng, &opts.first, &opts.last);
	opts.max_evaluations = DESCENT_WORK * (uint64_t)(opts.last - opts.first + 1);
	if (g->opts.max_descent && opts.max_evaluations > g->opts.max_descent)
		opts.max_evaluations = g->opts.max_descent;
	opts.inside = rng_below(rng, 4) > 0;
	if (kicked && rng_below(rng, 2))
		kick(g, &it->d, 1 + (uint32_t)rng_below(rng, MAX_KICK), opts.first, opts.last, rng);
	else if (kicked)
		regroup(g, &it->d, opts.first, opts.last, rng);
	local_search(g->pb, &it->d, &opts, &g->s, &it->ev, &used);
	g->counts.evaluations++;
	g->counts.work += g->pb->n_phases * g->phase_work + used;
}

static enum genetic_operator genetic_choose(const struct genetic *g, struct rng *rng)
{
	uint64_t draw = rng_below(rng, 1000);
	uint32_t k = 0;

	while (k + 1 < GENETIC_OPERATORS && draw >= g->counts.credit[k])
		draw -= g->counts.credit[k++];
	return (enum genetic_operator)k;
}

static void genetic_apply(struct genetic *g, enum genetic_operator op, struct individual *child,
			  const struct individual *mother, struct rng *rng)
{
	const struct individual *father = NULL;

	if (op == GENETIC_DESCENT) {
		genetic_descend(g, child, true, rng);
		return;
	}
	if (op != GENETIC_MUTATE)
		father = partner(g, mother, rng);
	if (father && op == GENETIC_CROSS)
		cross(g, &child->d, &father->d, rng);
	else if (father)
		cross_phases(g, &child->d, mother, father, rng);
	if (!father || rng_below(rng, 8) == 0)
		mutate(g, &child->d, rng);
	derive(g, child, mother, father);
}

static void make_child(struct genetic *g, struct individual *child, struct rng *rng)
{
	const struct individual *mother = tournament(g, rng);
	uint64_t before = g->counts.work;
	enum genetic_operator op;

	individual_copy(child, mother, g->pb);
	if (rng_below(rng, 1000) < REPRODUCE || g->counts.work >= g->max_work)
		return;
	op = genetic_choose(g, rng);
	genetic_apply(g, op, child, mother, rng);
	g->tally[op].work += g->counts.work - before;
	g->tally[op].wins += better(g, child, mother);
}

uint64_t genetic_phase_work(const struct problem *pb)
{
	return 1 + (pb->max_members + 2 * pb->max_uses + pb->machine->n_units) / EVAL_WORK;
}

/* Half of what it was, half by the wins for the work of late. */
static void give_credit(struct genetic *g)
{
	uint64_t rate[GENETIC_OPERATORS], sum = 0, rest = 1000;

	for (uint32_t k = 0; k < GENETIC_OPERATORS; k++) {
		rate[k] = g->tally[k].wins * 1000000 / (g->tally[k].work + 1);
		sum += rate[k];
	}
	for (uint32_t k = 0; sum && k < GENETIC_OPERATORS; k++) {
		uint64_t share = MIN_CREDIT + rate[k] * (1000 - GENETIC_OPERATORS * MIN_CREDIT) / sum;

		g->counts.credit[k] = (uint32_t)((g->counts.credit[k] + share) / 2);
		rest -= g->counts.credit[k];
	}
	if (sum)
		g->counts.credit[GENETIC_OPERATORS - 1] += (uint32_t)rest;
	memset(g->tally, 0, sizeof(g->tally));
}

/* ---- generations ---- */

/* Best first; a stable order, since equal costs must not depend on the library's sort. */
static void sort_population(struct genetic *g)
{
	for (uint32_t i = 1; i < g->n; i++) {
		struct individual it = g->now[i];
		uint32_t at = i;

		for (; at > 0 && better(g, &it, &g->now[at - 1]); at--)
			g->now[at] = g->now[at - 1];
		g->now[at] = it;
	}
}

static void measure_diversity(struct genetic *g)
{
	uint64_t sum = 0;

	for (uint32_t i = 1; i < g->n; i++)
		sum += genome_distance(&g->genome, &g->now[i].d, &g->now[0].d);
	g->counts.diversity = sum * 1000 / ((uint64_t)g->genome.n * (g->n - 1));
}

static void next_generation(struct genetic *g)
{
	for (uint32_t i = 0; i < g->n; i++) {
		struct rng rng = rng_keyed(g->opts.seed, (uint64_t)g->opts.island << 1, g->generation, i);

		if (i < ELITE)
			individual_copy(&g->next[i], &g->now[i], g->pb);
		else
			make_child(g, &g->next[i], &rng);
	}
	for (uint32_t i = 0; i < g->n; i++) {
		struct individual swap = g->now[i];

		g->now[i] = g->next[i];
		g->next[i] = swap;
	}
}

/* A local search where the population has found something new; the copy takes the place of the worst. */
static void refine(struct genetic *g)
{
	struct individual *copy = &g->now[g->n - 1];
	struct rng rng = rng_keyed(g->opts.seed, (uint64_t)g->opts.island << 1, g->generation, g->n);

	individual_copy(copy, &g->now[0], g->pb);
	genetic_descend(g, copy, false, &rng);
	sort_population(g);
}

static bool stopped(const struct genetic *g)
{
	return g->counts.work >= g->max_work || (g->opts.stop && g->opts.stop(g->opts.ctx));
}

static void one_generation(struct genetic *g)
{
	struct cost before = g->now[0].ev.total;

	g->generation++;
	if (g->counts.diversity < ALIKE_PERMILLE)
		renew(g, ELITE);
	else
		next_generation(g);
	sort_population(g);
	if (cost_compare(&g->now[0].ev.total, &before, &g->opts.goal) < 0 && g->counts.work < g->max_work)
		refine(g);
	measure_diversity(g);
}

void genetic_evolve(struct genetic *g, uint32_t generations, uint64_t max_work)
{
	g->max_work = max_work;
	for (uint32_t i = 0; i < generations && g->genome.n && !stopped(g); i++)
		one_generation(g);
	give_credit(g);
}

void genetic_receive(struct genetic *g, const struct design *d)
{
	struct individual *worst = &g->now[g->n - 1];

	for (uint32_t i = 0; i < g->n; i++)
		if (!genome_distance(&g->genome, &g->now[i].d, d))
			return;
	design_copy(&worst->d, d, g->pb);
	genetic_measure(g, worst);
	sort_population(g);
}

const struct individual *genetic_best(const struct genetic *g)
{
	return &g->now[0];
}

struct genetic_counts genetic_counts(const struct genetic *g)
{
	return g->counts;
}

/* As many individuals as there is room for. */
static uint32_t population(const struct problem *pb)
{
	size_t bytes = genome_bytes(pb) + pb->n_phases * sizeof(struct phase_cost) +
		       pb->n_edges * sizeof(struct cost);
	size_t room = MEMORY / bytes;

	return room > POPULATION ? POPULATION : room < FEWEST ? FEWEST : (uint32_t)room;
}

struct genetic *genetic_new(const struct problem *pb, const struct genetic_options *opts,
			    const struct design *start)
{
	struct genetic *g = mem_new(1, sizeof(*g));

	g->pb = pb;
	g->opts = *opts;
	g->phase_work = genetic_phase_work(pb);
	g->n = population(pb);
	genome_init(&g->genome, pb);
	scratch_init(&g->s, pb);
	for (uint32_t i = 0; i < g->n; i++) {
		individual_init(&g->now[i], pb);
		individual_init(&g->next[i], pb);
		design_copy(&g->now[i].d, start, pb);
		design_copy(&g->next[i].d, start, pb);
	}
	for (uint32_t k = 0; k < GENETIC_OPERATORS; k++)
		g->counts.credit[k] = 1000 / GENETIC_OPERATORS;
	genetic_measure(g, &g->now[0]);
	if (g->genome.n) {
		renew(g, 1);
		sort_population(g);
		measure_diversity(g);
	}
	return g;
}

void genetic_free(struct genetic *g)
{
	for (uint32_t i = 0; i < g->n; i++) {
		individual_release(&g->now[i]);
		individual_release(&g->next[i]);
	}
	genome_release(&g->genome);
	scratch_release(&g->s);
	free(g);
}
