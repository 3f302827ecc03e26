/* SPDX-License-Identifier: MIT */
#include "planner/cost/relax.h"

#include <stdlib.h>

#include "lib/mem.h"
#include "planner/cost/locks.h"

typedef unsigned __int128 wide;

/* A member at a step; in the order of time the steps become possible. */
struct option {
	uint64_t work_ns;
	uint32_t member;
	uint32_t step;
};

struct relax {
	const struct machine *m;
	const struct prob_phase *ph;
	uint64_t floor_mw, waking_mw, halted_mw;
	uint64_t spread_mw, spread_n; /* spread = spread_mw / spread_n */
	uint32_t longest;             /* member */
	uint64_t least_ns;            /* T0 */
};

static uint64_t above_mw(const struct relax *x, uint32_t step)
{
	return x->m->busy_mw[step] - x->floor_mw;
}

static uint64_t work_of(const struct relax *x, uint32_t member, uint32_t step)
{
	return x->ph->work_ns[(size_t)member * x->m->n_steps + step];
}

static void relax_init(struct relax *x)
{
	const struct machine *m = x->m;
	uint64_t sum = 0;

	x->floor_mw = m->idle_mw[m->idle_step];
	x->waking_mw = UINT64_MAX;
	for (uint32_t k = 0; k < m->n_packages; k++) {
		uint64_t n = m->packages[k].last - m->packages[k].first;
		uint64_t waking = n * x->floor_mw - m->packages[k].halt_mw;

		x->halted_mw += m->packages[k].halt_mw;
		x->waking_mw = waking < x->waking_mw ? waking : x->waking_mw;
		if (!x->spread_n || waking * x->spread_n < x->spread_mw * n) {
			x->spread_mw = waking;
			x->spread_n = n;
		}
	}
	for (uint32_t i = 0; i < x->ph->n_heavy; i++) {
		sum += work_of(x, i, 0);
		if (work_of(x, i, 0) > work_of(x, x->longest, 0))
			x->longest = i;
	}
	if (!x->ph->n_heavy)
		return;
	x->least_ns = (sum + m->n_units - 1) / m->n_units;
	if (work_of(x, x->longest, 0) > x->least_ns)
		x->least_ns = work_of(x, x->longest, 0);
	if (locks_least(m, x->ph) > x->least_ns)
		x->least_ns = locks_least(m, x->ph);
}

/* ---- the bound by the length of the phase ---- */

/* What a member costs at a step if all packages that must be awake are full; spread_n times too large. */
static wide packed(const struct relax *x, const struct option *o)
{
	return ((wide)above_mw(x, o->step) * x->spread_n + x->spread_mw) * o->work_ns;
}

/* The same if only the longest member keeps a package awake. */
static wide alone(const struct relax *x, const struct option *o)
{
	uint64_t mw = above_mw(x, o->step) + (o->member == x->longest ? x->waking_mw : 0);

	return (wide)mw * o->work_ns;
}

static int by_work(const void *a, const void *b)
{
	const struct option *x = a, *y = b;

	if (x->work_ns != y->work_ns)
		return x->work_ns < y->work_ns ? -1 : 1;
	if (x->member != y->member)
		return x->member < y->member ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

static void list_options(const struct relax *x, struct option *list)
{
	for (uint32_t i = 0; i < x->ph->n_heavy; i++)
		for (uint32_t f = 0; f < x->m->n_steps; f++)
			*list++ = (struct option){work_of(x, i, f), i, f};
}

/* Replace the member's part of @sum by that of one more step, if it is less. */
static void lower(wide *sum, wide *part, wide cost)
{
	if (cost >= *part)
		return;
	*sum -= *part - cost;
	*part = cost;
}

/* Least E(T), T being one of the sorted options' times or T0. */
static wide least_by_length(const struct relax *x, const struct option *list, size_t n)
{
	wide *part = mem_new(2 * (size_t)x->ph->n_heavy, sizeof(*part));
	wide sum[2] = {0, 0}, best = 0;
	bool any = false;

	for (uint32_t i = 0; i < x->ph->n_heavy; i++) {
		const struct option top = {work_of(x, i, 0), i, 0};

		part[2 * i] = packed(x, &top);
		part[2 * i + 1] = alone(x, &top);
		sum[0] += part[2 * i];
		sum[1] += part[2 * i + 1];
	}
	for (size_t k = 0; k < n; k++) {
		uint64_t next = k + 1 < n ? list[k + 1].work_ns : UINT64_MAX;
		uint64_t time = list[k].work_ns > x->least_ns ? list[k].work_ns : x->least_ns;
		wide e;

		lower(&sum[0], &part[2 * list[k].member], packed(x, &list[k]));
		lower(&sum[1], &part[2 * list[k].member + 1], alone(x, &list[k]));
		if (next <= time)
			continue;
		e = sum[0] / x->spread_n;
		e = (sum[1] > e ? sum[1] : e) + (wide)x->halted_mw * time;
		best = !any || e < best ? e : best;
		any = true;
	}
	free(part);
	return best;
}

/* ---- the bound by the room on all units ---- */

static wide least_by_room(const struct relax *x)
{
	wide units = x->m->n_units, sum = 0;

	for (uint32_t i = 0; i < x->ph->n_heavy; i++) {
		wide least = 0;

		for (uint32_t f = 0; f < x->m->n_steps; f++) {
			wide mw = ((wide)above_mw(x, f) * x->spread_n + x->spread_mw) * units +
				  (wide)x->halted_mw * x->spread_n;
			wide e = mw * work_of(x, i, f);

			least = f == 0 || e < least ? e : least;
		}
		sum += least;
	}
	return sum / (units * x->spread_n);
}

/* Draw with one unit busy. */
static uint64_t least_draw(const struct relax *x)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t f = 0; f < x->m->n_steps; f++)
		least = above_mw(x, f) < least ? above_mw(x, f) : least;
	return x->halted_mw + x->waking_mw + least;
}

void relax_phase(const struct problem *pb, const struct prob_phase *ph, struct cost *bound)
{
	struct relax x = {.m = pb->machine, .ph = ph};
	size_t n = (size_t)ph->n_heavy * pb->machine->n_steps;
	struct option *list;
	wide by_length, by_room;

	relax_init(&x);
	*bound = (struct cost){.time_ns = x.least_ns};
	if (!pb->machine->full_mw || !n)
		return;
	bound->peak_mw = least_draw(&x);
	list = mem_new(n, sizeof(*list));
	list_options(&x, list);
	qsort(list, n, sizeof(*list), by_work);
	by_length = least_by_length(&x, list, n);
	by_room = least_by_room(&x);
	bound->energy_pj = (uint64_t)(by_length > by_room ? by_length : by_room);
	free(list);
}
