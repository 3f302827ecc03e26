/* SPDX-License-Identifier: MIT */
#include "planner/heuristic/genome.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

void genome_init(struct genome *g, const struct problem *pb)
{
	*g = (struct genome){.pb = pb};
	g->slot = mem_new(pb->n_slots + 1, sizeof(*g->slot));
	g->mark[0] = mem_new(pb->n_phases, 1);
	g->mark[1] = mem_new(pb->n_phases, 1);
	g->mark_epoch = mem_new(pb->n_epochs + 1, 1);
	for (uint32_t i = 0; i < pb->n_slots; i++)
		if (pb->slots[i].kind != SLOT_FIXED && pb->slots[i].kind != SLOT_FOLLOW)
			g->slot[g->n_units++] = i;
	g->n = g->n_units;
	if (pb->machine->n_steps > 1)
		g->n += pb->n_epochs * pb->machine->n_domains;
}

void genome_release(struct genome *g)
{
	free(g->slot);
	free(g->mark[0]);
	free(g->mark[1]);
	free(g->mark_epoch);
	*g = (struct genome){0};
}

void individual_init(struct individual *it, const struct problem *pb)
{
	design_init(&it->d, pb);
	evaluation_init(&it->ev, pb, true);
}

void individual_release(struct individual *it)
{
	design_release(&it->d);
	evaluation_release(&it->ev);
}

static void copy_evaluation(struct evaluation *to, const struct evaluation *from, const struct problem *pb)
{
	memcpy(to->phase, from->phase, pb->n_phases * sizeof(*to->phase));
	memcpy(to->edge, from->edge, pb->n_edges * sizeof(*to->edge));
	to->total = from->total;
}

void individual_copy(struct individual *to, const struct individual *from, const struct problem *pb)
{
	design_copy(&to->d, &from->d, pb);
	copy_evaluation(&to->ev, &from->ev, pb);
}

static uint32_t epoch_of(const struct genome *g, uint32_t i)
{
	return (i - g->n_units) / g->pb->machine->n_domains;
}

void genome_span(const struct genome *g, uint32_t i, uint32_t *first, uint32_t *last)
{
	const struct problem *pb = g->pb;
	uint32_t epoch;

	if (i < g->n_units) {
		*first = pb->slots[g->slot[i]].first;
		*last = pb->slots[g->slot[i]].last;
		return;
	}
	epoch = epoch_of(g, i);
	*first = pb->epochs[epoch];
	*last = (epoch + 1 < pb->n_epochs ? pb->epochs[epoch + 1] : pb->n_phases) - 1;
}

void genome_copy(const struct genome *g, struct design *to, const struct design *from, uint32_t i)
{
	if (i < g->n_units)
		to->unit[g->slot[i]] = from->unit[g->slot[i]];
	else
		to->step[i - g->n_units] = from->step[i - g->n_units];
}

void genome_draw(const struct genome *g, struct design *d, uint32_t i, struct rng *rng)
{
	if (i < g->n_units)
		d->unit[g->slot[i]] = (uint16_t)rng_below(rng, g->pb->machine->n_units);
	else
		d->step[i - g->n_units] = (uint8_t)rng_below(rng, g->pb->machine->n_steps);
}

uint32_t genome_distance(const struct genome *g, const struct design *a, const struct design *b)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->n_units; i++)
		n += a->unit[g->slot[i]] != b->unit[g->slot[i]];
	for (uint32_t i = 0; i < g->n - g->n_units; i++)
		n += a->step[i] != b->step[i];
	return n;
}

/* ---- evaluation of what is new ---- */

static void mark_slots(const struct genome *g, const struct design *a, const struct design *b, uint8_t *mark)
{
	const struct problem *pb = g->pb;

	for (uint32_t i = 0; i < g->n_units; i++) {
		const struct prob_slot *slot = &pb->slots[g->slot[i]];

		if (a->unit[g->slot[i]] != b->unit[g->slot[i]])
			memset(mark + slot->touch_first, 1, slot->touch_last - slot->touch_first + 1);
	}
}

/* The steps of an epoch price its phases, and each passage out of it. */
static void mark_epochs(const struct genome *g, const struct design *a, const struct design *b, uint8_t *mark)
{
	const struct problem *pb = g->pb;
	size_t width = pb->machine->n_domains;

	for (uint32_t epoch = 0; epoch < pb->n_epochs; epoch++)
		g->mark_epoch[epoch] = memcmp(a->step + epoch * width, b->step + epoch * width, width) != 0;
	for (uint32_t p = 0; p < pb->n_phases; p++)
		mark[p] |= g->mark_epoch[pb->phases[p].epoch];
	for (uint32_t i = 0; i < pb->n_edges; i++)
		if (pb->edges[i].from != PROB_NONE)
			mark[pb->edges[i].to] |= g->mark_epoch[pb->phases[pb->edges[i].from].epoch];
}

/* Mark the phases whose cost, or passage into them, may be another in @a than in @b. */
static void mark(const struct genome *g, const struct design *a, const struct design *b, uint8_t *to)
{
	memset(to, 0, g->pb->n_phases);
	mark_slots(g, a, b, to);
	if (g->n > g->n_units)
		mark_epochs(g, a, b, to);
}

static void take_over(const struct problem *pb, struct evaluation *to, const struct evaluation *from,
		      uint32_t p)
{
	uint32_t first = pb->edge_at[p], n = pb->edge_at[p + 1] - first;

	to->phase[p] = from->phase[p];
	memcpy(to->edge + first, from->edge + first, n * sizeof(*to->edge));
}

uint64_t genome_derive(struct genome *g, struct individual *child, const struct individual *mother,
		       const struct individual *father, struct scratch *s)
{
	const struct problem *pb = g->pb;
	uint64_t evaluated = 0;

	mark(g, &child->d, &mother->d, g->mark[0]);
	if (father)
		mark(g, &child->d, &father->d, g->mark[1]);
	copy_evaluation(&child->ev, &mother->ev, pb);
	for (uint32_t p = 0; p < pb->n_phases; p++) {
		if (!g->mark[0][p])
			continue;
		if (father && !g->mark[1][p]) {
			take_over(pb, &child->ev, &father->ev, p);
			continue;
		}
		eval_one(pb, &child->d, s, &child->ev, p);
		evaluated++;
	}
	eval_sum(pb, &child->ev, 0, pb->n_phases - 1, &child->ev.total);
	return evaluated;
}

/* ---- bytes ---- */

size_t genome_bytes(const struct problem *pb)
{
	return pb->n_slots * sizeof(uint16_t) + (size_t)pb->n_epochs * pb->machine->n_domains;
}

void genome_pack(const struct problem *pb, const struct design *d, uint8_t *to)
{
	size_t units = pb->n_slots * sizeof(*d->unit);

	memcpy(to, d->unit, units);
	memcpy(to + units, d->step, (size_t)pb->n_epochs * pb->machine->n_domains);
}

void genome_unpack(const struct problem *pb, const uint8_t *from, struct design *d)
{
	size_t units = pb->n_slots * sizeof(*d->unit);

	memcpy(d->unit, from, units);
	memcpy(d->step, from + units, (size_t)pb->n_epochs * pb->machine->n_domains);
}
