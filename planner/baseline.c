/* SPDX-License-Identifier: MIT */
#include "planner/baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/mem.h"
#include "lib/rng.h"

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

static bool heavy_in(const struct prob_phase *ph, uint32_t thread)
{
	for (uint32_t i = 0; i < ph->n_heavy; i++)
		if (ph->members[i].thread == thread)
			return true;
	return false;
}

/* What dealing needs to know. */
struct dealer {
	uint16_t *order;
	uint32_t *used; /* per unit */
	uint32_t *seen; /* per seat: 1 + the seat that counted it last */
};

/*
 * The least used unit in dealing order, counting seats dealt before that meet
 * this one: only threads that are busy in one phase need different cores.
 */
static uint16_t deal(const struct problem *pb, const struct design *d, uint32_t seat, struct dealer *x)
{
	uint32_t thread = pb->seats[seat].thread, best = 0;

	memset(x->used, 0, pb->machine->n_units * sizeof(*x->used));
	for (uint32_t p = pb->seats[seat].first; p <= pb->seats[seat].last; p++) {
		const struct prob_phase *ph = &pb->phases[p];

		if (!heavy_in(ph, thread))
			continue;
		for (uint32_t i = 0; i < ph->n_heavy; i++) {
			uint32_t other = ph->members[i].seat;

			if (ph->members[i].thread >= thread || x->seen[other] == seat + 1)
				continue;
			x->seen[other] = seat + 1;
			x->used[d->unit[other]]++;
		}
	}
	for (uint32_t i = 1; i < pb->machine->n_units; i++)
		if (x->used[x->order[i]] < x->used[x->order[best]])
			best = i;
	return x->order[best];
}

/* First seat of each thread, PROB_NONE if it has none; in the order of seats. */
static uint32_t *first_seats(const struct problem *pb)
{
	uint32_t *first = mem_new(pb->model->n_threads + 1, sizeof(*first));

	memset(first, 0xff, pb->model->n_threads * sizeof(*first));
	for (uint32_t i = pb->n_seats; i-- > 0;)
		first[pb->seats[i].thread] = i;
	return first;
}

/* A thread keeps its place in spread, pack and random: all its seats on one unit. */
static void make_static(const struct problem *pb, enum baseline kind, uint64_t seed, struct design *d)
{
	struct dealer x = {dealing_order(pb->machine, kind == BASELINE_SPREAD),
			   mem_new(pb->machine->n_units, sizeof(*x.used)),
			   mem_new(pb->n_seats + 1, sizeof(*x.seen))};
	uint32_t *first = first_seats(pb), *next = mem_new(pb->n_seats + 1, sizeof(*next));
	uint32_t *last = mem_new(pb->model->n_threads + 1, sizeof(*last));

	/* The seats of a thread in a chain: next[i] is 1 + the one after i, 0 at the end. */
	for (uint32_t i = 0; i < pb->n_seats; i++) {
		uint32_t t = pb->seats[i].thread;

		if (first[t] != i)
			next[last[t]] = i + 1;
		last[t] = i;
	}
	for (uint32_t t = 0; t < pb->model->n_threads; t++) {
		struct rng rng = rng_keyed(seed, 0x62617365, t, 0);
		uint16_t unit;

		if (first[t] == PROB_NONE)
			continue;
		unit = kind == BASELINE_RANDOM ? (uint16_t)rng_below(&rng, pb->machine->n_units)
					       : deal(pb, d, first[t], &x);
		for (uint32_t i = first[t] + 1; i; i = next[i - 1])
			d->unit[i - 1] = unit;
	}
	free(x.order);
	free(x.used);
	free(x.seen);
	free(first);
	free(next);
	free(last);
}

void baseline_balance(const struct problem *pb, uint32_t n_units, bool keep_fixed, struct design *d)
{
	uint64_t *load = mem_new(pb->machine->n_units, sizeof(*load));
	bool *placed = mem_new(pb->n_seats + 1, sizeof(*placed));
	uint16_t *order = dealing_order(pb->machine, n_units == pb->machine->n_units);

	memset(d->step, 0, (size_t)pb->n_eras * pb->machine->n_domains);
	for (uint32_t i = 0; i < pb->n_seats; i++)
		placed[i] = keep_fixed && pb->seats[i].kind == SEAT_FIXED;
	for (uint32_t p = 0; p < pb->n_phases; p++) {
		const struct prob_phase *ph = &pb->phases[p];

		memset(load, 0, pb->machine->n_units * sizeof(*load));
		for (uint32_t i = 0; i < ph->n_members; i++)
			if (placed[ph->members[i].seat])
				load[d->unit[ph->members[i].seat]] +=
					ph->work_ns[(size_t)i * pb->machine->n_steps];
		for (uint32_t i = 0; i < ph->n_members; i++) {
			uint32_t best = 0;

			if (placed[ph->members[i].seat])
				continue;
			for (uint32_t k = 1; k < n_units; k++)
				if (load[order[k]] < load[order[best]])
					best = k;
			placed[ph->members[i].seat] = true;
			d->unit[ph->members[i].seat] = order[best];
			load[order[best]] += ph->work_ns[(size_t)i * pb->machine->n_steps];
		}
	}
	free(load);
	free(placed);
	free(order);
}

/* The thread without a place that conflicts most with @thread, PROB_NONE. */
static uint32_t mate_of(const struct problem *pb, uint32_t thread, const bool *placed)
{
	const struct model *m = pb->model;
	uint32_t best = PROB_NONE;
	double most = 0;

	for (size_t i = 0; i < m->n_conflicts; i++) {
		const struct model_conflict *c = &m->conflicts[i];
		uint32_t other = c->thread_a == thread ? c->thread_b : c->thread_a;
		double rate = c->rate_a < c->rate_b ? c->rate_a : c->rate_b;

		if ((c->thread_a == thread || c->thread_b == thread) && !placed[other] && rate > most) {
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

	memset(d->step, 0, (size_t)pb->n_eras * pb->machine->n_domains);
	for (uint32_t first = 1; first < pb->model->n_threads; first++) {
		for (uint32_t t = first; t != PROB_NONE && !placed[t]; t = mate_of(pb, t, placed)) {
			bool stays = share && t != first;

			unit = stays ? unit + pb->machine->n_units - 1 : unit;
			for (uint32_t i = 0; i < pb->n_seats; i++)
				if (pb->seats[i].thread == t && pb->seats[i].kind != SEAT_FIXED)
					d->unit[i] = (uint16_t)(unit % pb->machine->n_units);
			placed[t] = true;
			unit = (unit + 1) % pb->machine->n_units;
		}
	}
	free(placed);
}

void baseline_make(const struct problem *pb, enum baseline kind, uint64_t seed, struct design *d)
{
	memset(d->step, 0, (size_t)pb->n_eras * pb->machine->n_domains);
	d->moved = kind == BASELINE_OS;
	if (kind == BASELINE_OS)
		baseline_balance(pb, pb->machine->n_units, false, d);
	else
		make_static(pb, kind, seed, d);
}

void baseline_hash(const struct problem *pb, const struct design *d, char *hex)
{
	struct sha256 sha;

	sha256_init(&sha);
	for (uint32_t p = 0; p < pb->n_phases; p++)
		for (uint32_t t = 0; t < pb->model->n_threads; t++) {
			uint32_t seat = pb->home[(size_t)p * pb->model->n_threads + t];
			uint32_t id;
			char text[64];

			if (seat == PROB_NONE)
				continue;
			id = machine_core_id(pb->machine, design_unit(pb, d, seat), 0);
			sha256_add(&sha, text, (size_t)snprintf(text, sizeof(text), "%u %u %u\n", p, t, id));
		}
	sha256_hex(&sha, hex);
}
