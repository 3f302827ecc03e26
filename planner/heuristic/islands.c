/* SPDX-License-Identifier: MIT */
#include "planner/heuristic/islands.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/heuristic/tasks.h"

#define GENERATIONS 8  /* of an epoch, at most */
#define EPOCHS      40 /* the work of an island is spread over so many, at least */

/* What an island tells the others after an epoch; its genes follow. */
struct report {
	struct cost best;
	struct genetic_counts counts;
	uint64_t stopped;
	uint8_t genes[];
};

struct islands {
	const struct problem *pb;
	const struct islands_options *opts;
	struct islands_state *state;
	uint32_t rank, size;
	struct genetic *island[ISLANDS]; /* NULL: another process has it */
	size_t bytes;                    /* of a report */
	uint32_t slots;                  /* reports of a process */
	uint8_t *mine, *all;             /* reports by slot; by process and slot */
	uint8_t *best;                   /* genes of the best design so far */
	uint32_t stale;                  /* epochs without anything better */
};

static struct report *report_of(const struct islands *x, uint32_t island)
{
	uint32_t rank = island % x->size, slot = island / x->size;

	return (struct report *)(x->all + ((size_t)rank * x->slots + slot) * x->bytes);
}

static bool asked_to_stop(const struct islands *x)
{
	return x->opts->stop && x->opts->stop(x->opts->ctx);
}

/* ---- one island, one epoch: a task ---- */

static void write_report(const struct islands *x, uint32_t island)
{
	struct report *r = (struct report *)(x->mine + island / x->size * x->bytes);
	const struct individual *best = genetic_best(x->island[island]);

	r->best = best->ev.total;
	r->counts = genetic_counts(x->island[island]);
	r->stopped = asked_to_stop(x);
	genome_pack(x->pb, &best->d, r->genes);
}

static void receive(const struct islands *x, uint32_t island)
{
	struct design d;

	design_init(&d, x->pb);
	genome_unpack(x->pb, report_of(x, (island + ISLANDS - 1) % ISLANDS)->genes, &d);
	genetic_receive(x->island[island], &d);
	design_release(&d);
}

static void run_island(void *ctx, uint32_t i)
{
	struct islands *x = ctx;
	uint32_t island = i * x->size + x->rank;
	uint64_t share = x->opts->max_work / ISLANDS, until;

	if (x->state->epoch)
		receive(x, island);
	until = genetic_counts(x->island[island]).work + share / EPOCHS;
	genetic_evolve(x->island[island], GENERATIONS, until < share ? until : share);
	write_report(x, island);
}

/* Islands of this process. */
static uint32_t own(const struct islands *x)
{
	return x->rank < ISLANDS ? (ISLANDS - x->rank + x->size - 1) / x->size : 0;
}

/* ---- all of them ---- */

static void add_up(const struct islands *x)
{
	struct genetic_counts *sum = &x->state->counts;

	*sum = (struct genetic_counts){0};
	x->state->stopped = false;
	for (uint32_t i = 0; i < ISLANDS; i++) {
		const struct report *r = report_of(x, i);

		sum->evaluations += r->counts.evaluations;
		sum->work += r->counts.work;
		sum->diversity += r->counts.diversity;
		for (uint32_t k = 0; k < GENETIC_OPERATORS; k++)
			sum->credit[k] += r->counts.credit[k];
		x->state->stopped |= r->stopped != 0;
	}
	sum->diversity /= ISLANDS;
	for (uint32_t k = 0; k < GENETIC_OPERATORS; k++)
		sum->credit[k] /= ISLANDS;
}

static void keep_best(struct islands *x)
{
	x->stale++;
	for (uint32_t i = 0; i < ISLANDS; i++) {
		const struct report *r = report_of(x, i);

		if (cost_compare(&r->best, &x->state->best, &x->opts->goal) >= 0)
			continue;
		x->state->best = r->best;
		memcpy(x->best, r->genes, genome_bytes(x->pb));
		x->stale = 0;
	}
}

static bool ended(const struct islands *x)
{
	const struct islands_options *o = x->opts;
	const struct islands_state *now = x->state;

	return now->stopped || now->counts.work + ISLANDS > o->max_work ||
	       (o->patience && x->stale >= o->patience) ||
	       (cost_keeps(&now->best, &o->goal) &&
		cost_primary(&now->best, &o->goal) <= cost_primary(&o->floor, &o->goal));
}

static void islands_meet(struct islands *x)
{
	size_t bytes = x->slots * x->bytes;

	if (x->opts->ranks)
		x->opts->ranks->gather(x->opts->ranks->ctx, x->mine, x->all, bytes);
	else
		memcpy(x->all, x->mine, bytes);
	keep_best(x);
	add_up(x);
	x->state->epoch++;
	if (x->opts->epoch)
		x->opts->epoch(x->opts->ctx, x->state);
}

struct founding {
	struct islands *x;
	const struct design *start;
};

static void found_island(void *ctx, uint32_t i)
{
	const struct founding *f = ctx;
	uint32_t island = i * f->x->size + f->x->rank;
	const struct islands_options *o = f->x->opts;
	const struct genetic_options opts = {.goal = o->goal,
					     .seed = o->seed,
					     .island = island,
					     .max_descent = o->max_work / ISLANDS / 8 + 1,
					     .stop = o->stop,
					     .ctx = o->ctx};

	f->x->island[island] = genetic_new(f->x->pb, &opts, f->start);
}

static void islands_init(struct islands *x, const struct design *start)
{
	const struct ranks *r = x->opts->ranks;
	size_t align = sizeof(uint64_t);

	x->rank = r ? r->rank : 0;
	x->size = r ? r->size : 1;
	x->slots = (ISLANDS + x->size - 1) / x->size;
	x->bytes = (sizeof(struct report) + genome_bytes(x->pb) + align - 1) / align * align;
	x->mine = mem_new(x->slots, x->bytes);
	x->all = mem_new((size_t)x->slots * x->size, x->bytes);
	x->best = mem_new(genome_bytes(x->pb) + 1, 1);
	genome_pack(x->pb, start, x->best);
}

/* The cost of @start, which every process has alike. */
static void assess(struct islands *x, const struct design *start)
{
	struct individual it;
	struct scratch s;

	scratch_init(&s, x->pb);
	individual_init(&it, x->pb);
	design_copy(&it.d, start, x->pb);
	eval_all(x->pb, &it.d, &s, &it.ev);
	*x->state = (struct islands_state){.best = it.ev.total, .max_work = x->opts->max_work};
	individual_release(&it);
	scratch_release(&s);
}

void islands_search(const struct problem *pb, const struct islands_options *opts, struct design *best,
		    struct islands_state *state)
{
	struct islands x = {.pb = pb, .opts = opts, .state = state};
	struct founding founding = {&x, best};

	islands_init(&x, best);
	assess(&x, best);
	tasks_run(opts->threads, own(&x), found_island, &founding);
	do {
		tasks_run(opts->threads, own(&x), run_island, &x);
		islands_meet(&x);
	} while (!ended(&x));
	genome_unpack(pb, x.best, best);
	for (uint32_t i = 0; i < ISLANDS; i++)
		if (x.island[i])
			genetic_free(x.island[i]);
	free(x.mine);
	free(x.all);
	free(x.best);
}
