/* SPDX-License-Identifier: MIT */
#include "planner/cost/baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/mem.h"
#include "lib/rng.h"
#include "planner/problem/inputs.h"

static const char *const names[BASELINE_N] = {"spread", "pack", "os", "random"};

const char *baseline_name(enum baseline kind)
{
	return names[kind];
}

int baseline_find(const char *name)
{
	for (int i = 0; i < BASELINE_N; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

/* The units in dealing order: the nth of each package in turn, or just in turn. */
static uint16_t *dealing_order(const struct machine *m, bool alternate)
{
	uint16_t *order = mem_new(m->n_units, sizeof(*order));
	uint32_t n = 0;

	for (uint32_t nth = 0; n < m->n_units; nth++)
		for (uint32_t k = 0; k < m->n_packages; k++)
			if (!alternate && n < m->n_units)
				order[n] = (uint16_t)n, n++;
			else if (nth < m->packages[k].last - m->packages[k].first)
				order[n++] = (uint16_t)(m->packages[k].first + nth);
	return order;
}

/* What dealing needs to know: who matters when, and where those dealt before went. */
struct dealer {
	uint16_t *order;   /* units */
	uint32_t *used;    /* per unit */
	uint8_t *heavy;    /* per phase and thread */
	uint32_t *slot;    /* per thread: one of it, PROB_NONE */
	uint16_t *unit;    /* per thread */
	uint32_t *counted; /* per thread: the last one that it was counted for */
};

static void dealer_init(struct dealer *x, const struct problem *pb, bool alternate)
{
	size_t n = pb->model->n_threads;

	x->order = dealing_order(pb->machine, alternate);
	x->used = mem_new(pb->machine->n_units, sizeof(*x->used));
	x->heavy = mem_new(n * pb->n_phases + 1, 1);
	x->slot = mem_new(n + 1, sizeof(*x->slot));
	x->unit = mem_new(n + 1, sizeof(*x->unit));
	x->counted = mem_new(n + 1, sizeof(*x->counted));
	memset(x->slot, 0xff, n * sizeof(*x->slot));
	for (uint32_t i = 0; i < pb->n_slots; i++)
		x->slot[pb->slots[i].thread] = i;
	for (uint32_t p = 0; p < pb->n_phases; p++)
		for (uint32_t i = 0; i < pb->phases[p].n_heavy; i++)
			x->heavy[p * n + pb->phases[p].members[i].thread] = 1;
}

static void dealer_release(struct dealer *x)
{
	free(x->order);
	free(x->used);
	free(x->heavy);
	free(x->slot);
	free(x->unit);
	free(x->counted);
}

/*
 * The unit, first in dealing order, of the fewest threads dealt before that
 * matter in a phase in which this one does: only who is busy at the same time
 * needs different cores.
 */
static uint16_t baseline_deal(const struct problem *pb, struct dealer *x, uint32_t thread)
{
	size_t n = pb->model->n_threads;
	uint32_t best = 0;

	memset(x->used, 0, pb->machine->n_units * sizeof(*x->used));
	for (uint32_t p = 0; p < pb->n_phases; p++)
		for (uint32_t i = 0; x->heavy[p * n + thread] && i < pb->phases[p].n_heavy; i++) {
			uint32_t other = pb->phases[p].members[i].thread;

			if (other >= thread || x->counted[other] == thread)
				continue;
			x->counted[other] = thread;
			x->used[x->unit[other]]++;
		}
	for (uint32_t i = 1; i < pb->machine->n_units; i++)
		if (x->used[x->order[i]] < x->used[x->order[best]])
			best = i;
	return x->order[best];
}

/*
 * In spread, pack and random a thread has one place for the whole run, by all
 * that it does in it, whatever the kind of plan could change on the way.
 */
static void make_static(const struct problem *pb, enum baseline kind, uint64_t seed, struct design *d)
{
	struct dealer x;

	dealer_init(&x, pb, kind == BASELINE_SPREAD);
	for (uint32_t t = 0; t < pb->model->n_threads; t++) {
		struct rng rng = rng_keyed(seed, 0x62617365, t, 0);

		if (x.slot[t] == PROB_NONE)
			continue;
		x.unit[t] = kind == BASELINE_RANDOM ? (uint16_t)rng_below(&rng, pb->machine->n_units)
						    : baseline_deal(pb, &x, t);
	}
	for (uint32_t i = 0; i < pb->n_slots; i++)
		d->unit[i] = x.unit[pb->slots[i].thread];
	dealer_release(&x);
}

void baseline_balance(const struct problem *pb, uint32_t n_units, bool keep_fixed, struct design *d)
{
	uint64_t *load = mem_new(pb->machine->n_units, sizeof(*load));
	bool *placed = mem_new(pb->n_slots + 1, sizeof(*placed));
	uint16_t *order = dealing_order(pb->machine, n_units == pb->machine->n_units);

	memset(d->step, 0, (size_t)pb->n_epochs * pb->machine->n_domains);
	for (uint32_t i = 0; i < pb->n_slots; i++)
		placed[i] = keep_fixed && pb->slots[i].kind == SLOT_FIXED;
	for (uint32_t p = 0; p < pb->n_phases; p++) {
		const struct prob_phase *ph = &pb->phases[p];

		memset(load, 0, pb->machine->n_units * sizeof(*load));
		for (uint32_t i = 0; i < ph->n_members; i++)
			if (placed[ph->members[i].slot])
				load[d->unit[ph->members[i].slot]] +=
					ph->work_ns[(size_t)i * pb->machine->n_steps];
		for (uint32_t i = 0; i < ph->n_members; i++) {
			uint32_t best = 0;

			if (placed[ph->members[i].slot])
				continue;
			for (uint32_t k = 1; k < n_units; k++)
				if (load[order[k]] < load[order[best]])
					best = k;
			placed[ph->members[i].slot] = true;
			d->unit[ph->members[i].slot] = order[best];
			load[order[best]] += ph->work_ns[(size_t)i * pb->machine->n_steps];
		}
	}
	free(load);
	free(placed);
	free(order);
}

/* The thread without a place that conflicts most with @thread, PROB_NONE. */
static uint32_t partner_of(const struct problem *pb, uint32_t thread, const bool *placed)
{
	const struct model *m = pb->model;
	uint32_t best = PROB_NONE;
	double most = 0;

	for (size_t i = 0; i < m->n_conflicts; i++) {
		const struct model_conflict *c = &m->conflicts[i];
		uint32_t other = c->a.thread == thread ? c->b.thread : c->a.thread;
		double rate = model_rate(&c->a) < model_rate(&c->b) ? model_rate(&c->a) : model_rate(&c->b);

		if ((c->a.thread == thread || c->b.thread == thread) && !placed[other] && rate > most) {
			most = rate;
			best = other;
		}
	}
	return best;
}

void baseline_cluster(const struct problem *pb, bool share, struct design *d)
{
	bool *placed = mem_new(pb->model->n_threads + 1, sizeof(*placed));
	uint32_t unit = 0;

	memset(d->step, 0, (size_t)pb->n_epochs * pb->machine->n_domains);
	for (uint32_t first = 1; first < pb->model->n_threads; first++) {
		for (uint32_t t = first; t != PROB_NONE && !placed[t]; t = partner_of(pb, t, placed)) {
			bool stays = share && t != first;

			unit = stays ? unit + pb->machine->n_units - 1 : unit;
			for (uint32_t i = 0; i < pb->n_slots; i++)
				if (pb->slots[i].thread == t && pb->slots[i].kind != SLOT_FIXED)
					d->unit[i] = (uint16_t)(unit % pb->machine->n_units);
			placed[t] = true;
			unit = (unit + 1) % pb->machine->n_units;
		}
	}
	free(placed);
}

/* A thread's work in phases that several inputs have in common. */
struct load {
	uint64_t ns;
	uint32_t thread;
};

static int compare_loads(const void *a, const void *b)
{
	const struct load *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Phases [first, first + n) are one phase in n inputs: the longest thread first, to the unit with the least work. */
static void balance_phase(const struct problem *pb, uint32_t first, uint32_t n, const uint16_t *order,
			  struct design *d)
{
	const struct prob_phase *ph = &pb->phases[first];
	uint64_t *load = mem_new(pb->machine->n_units, sizeof(*load));
	uint64_t *work = mem_new(pb->model->n_threads + 1, sizeof(*work));
	struct load *list = mem_new(ph->n_members + 1, sizeof(*list));

	for (uint32_t p = first; p < first + n; p++)
		for (uint32_t i = 0; i < pb->phases[p].n_members; i++)
			work[pb->phases[p].members[i].thread] +=
				pb->phases[p].work_ns[(size_t)i * pb->machine->n_steps];
	for (uint32_t i = 0; i < ph->n_members; i++)
		list[i] = (struct load){work[ph->members[i].thread], ph->members[i].thread};
	qsort(list, ph->n_members, sizeof(*list), compare_loads);
	for (uint32_t i = 0; i < ph->n_members; i++) {
		uint32_t best = 0;

		for (uint32_t k = 1; k < pb->machine->n_units; k++)
			if (load[order[k]] < load[order[best]])
				best = k;
		load[order[best]] += list[i].ns;
		for (uint32_t p = first; p < first + n; p++)
			d->at[(size_t)p * pb->model->n_threads + list[i].thread] = order[best];
	}
	free(load);
	free(work);
	free(list);
}

/*
 * The system may move a thread at any time, so each phase is dealt anew,
 * wherever a plan could change something.  As a placement that is set the
 * design is what it can be: the slots' units; who cannot be planned stays
 * where its first phase has it.
 */
static void make_os(const struct problem *pb, struct design *d)
{
	uint32_t n = pb->inputs ? pb->inputs->n : 1;
	uint16_t *order = dealing_order(pb->machine, true);

	baseline_balance(pb, pb->machine->n_units, false, d);
	free(d->at);
	d->at = mem_new(pb->model->n_threads * pb->n_phases + 1, sizeof(*d->at));
	d->moved = true;
	for (uint32_t p = 0; p < pb->n_phases; p += n)
		balance_phase(pb, p, n, order, d);
	for (uint32_t i = 0; i < pb->n_slots; i++)
		if (pb->slots[i].kind == SLOT_FIXED)
			d->unit[i] = design_unit_in(pb, d, pb->slots[i].first, i);
	free(order);
}

void baseline_make(const struct problem *pb, enum baseline kind, uint64_t seed, struct design *d)
{
	memset(d->step, 0, (size_t)pb->n_epochs * pb->machine->n_domains);
	free(d->at);
	d->at = NULL;
	d->moved = false;
	if (kind == BASELINE_OS)
		make_os(pb, d);
	else
		make_static(pb, kind, seed, d);
}

void baseline_hash(const struct problem *pb, const struct design *d, char *hex)
{
	struct sha256 sha;

	sha256_init(&sha);
	for (uint32_t p = 0; p < pb->n_phases; p++)
		for (uint32_t t = 0; t < pb->model->n_threads; t++) {
			uint32_t slot = pb->home[(size_t)p * pb->model->n_threads + t];
			uint32_t id;
			char text[64];

			if (slot == PROB_NONE)
				continue;
			id = machine_core_id(pb->machine, design_unit_in(pb, d, p, slot), 0);
			sha256_add(&sha, text, (size_t)snprintf(text, sizeof(text), "%u %u %u\n", p, t, id));
		}
	sha256_hex(&sha, hex);
}
