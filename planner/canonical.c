/* SPDX-License-Identifier: MIT */
/*
 * Of the designs that differ only by an exchange of equal cores, take the one
 * in which threads and cores run in the same order: easier to review, and a
 * small change of the model gives a small change of the plan.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/exact/symmetry.h"
#include "planner/planner.h"

#define MAX_PERMUTATIONS 1024
#define MAX_SWAP_UNITS   16 /* larger machines: the order is left as found */

/* False if the exchange moves a thread that cannot be planned. */
static bool exchange(const struct planner *p, const struct design *d, const uint16_t *to, struct design *out)
{
	const struct machine *m = &p->machine;

	for (uint32_t i = 0; i < p->problem.n_slots; i++) {
		out->unit[i] = to[d->unit[i]];
		if (p->problem.slots[i].kind == SLOT_FIXED && out->unit[i] != d->unit[i])
			return false;
	}
	for (uint32_t epoch = 0; epoch < p->problem.n_epochs; epoch++)
		for (uint32_t u = 0; u < m->n_units; u++)
			out->step[(size_t)epoch * m->n_domains + m->units[to[u]].domain] =
				d->step[(size_t)epoch * m->n_domains + m->units[u].domain];
	return true;
}

struct canonical {
	struct planner *p;
	uint32_t *order; /* slots by thread; main last, since it seldom matters where it waits */
	struct design trial, found;
	struct evaluation ev;
};

static void order_slots(struct canonical *x)
{
	const struct problem *pb = &x->p->problem;
	uint32_t threads = (uint32_t)pb->model->n_threads, *at = mem_new(threads + 1, sizeof(*at));

	x->order = mem_new(pb->n_slots + 1, sizeof(*x->order));
	for (uint32_t i = 0; i < pb->n_slots; i++)
		at[(pb->slots[i].thread + threads - 1) % threads + 1]++;
	for (uint32_t t = 0; t < threads; t++)
		at[t + 1] += at[t];
	for (uint32_t i = 0; i < pb->n_slots; i++)
		x->order[at[(pb->slots[i].thread + threads - 1) % threads]++] = i;
	free(at);
}

static bool comes_before(const struct canonical *x, const struct design *a, const struct design *b)
{
	for (uint32_t i = 0; i < x->p->problem.n_slots; i++)
		if (a->unit[x->order[i]] != b->unit[x->order[i]])
			return a->unit[x->order[i]] < b->unit[x->order[i]];
	return false;
}

/* Take the exchange if it brings things in order and costs nothing. */
static bool canonical_take(struct canonical *x, const uint16_t *to)
{
	struct planner *p = x->p;
	struct cost now, then;

	if (!exchange(p, &x->found, to, &x->trial) || !comes_before(x, &x->trial, &x->found))
		return false;
	eval_all(&p->problem, &x->trial, &p->search.scratch, &x->ev);
	now = outcome_cost(&p->out, &p->out.best_ev);
	then = outcome_cost(&p->out, &x->ev);
	if (cost_compare(&then, &now, &p->out.goal) > 0)
		return false;
	design_copy(&x->found, &x->trial, &p->problem);
	return true;
}

/* Exchanges that topology allows: prices in a phase cannot change, those of moves may. */
static void take_permutations(struct canonical *x)
{
	struct permutations perms;

	permutations_init(&perms, &x->p->machine, MAX_PERMUTATIONS);
	for (uint32_t i = 0; i < perms.n; i++)
		canonical_take(x, perms.to + (size_t)i * x->p->machine.n_units);
	permutations_release(&perms);
}

/* Any two units: where there are no conflicts, groups do not matter. */
static void take_swaps(struct canonical *x)
{
	uint32_t n = x->p->machine.n_units;
	uint16_t *to = mem_new(n, sizeof(*to));
	bool better = n <= MAX_SWAP_UNITS;

	for (uint32_t u = 0; u < n; u++)
		to[u] = (uint16_t)u;
	while (better) {
		better = false;
		for (uint32_t i = 0; i < n * n; i++) {
			uint32_t u = i / n, v = i % n;

			if (u >= v)
				continue;
			to[u] = (uint16_t)v;
			to[v] = (uint16_t)u;
			better |= canonical_take(x, to);
			to[u] = (uint16_t)u;
			to[v] = (uint16_t)v;
		}
	}
	free(to);
}

void planner_make_canonical(struct planner *p)
{
	struct canonical x = {.p = p};

	design_init(&x.trial, &p->problem);
	design_init(&x.found, &p->problem);
	evaluation_init(&x.ev, &p->problem, true);
	design_copy(&x.found, &p->out.best, &p->problem);
	order_slots(&x);
	take_permutations(&x);
	take_swaps(&x);
	design_copy(&p->out.best, &x.found, &p->problem);
	eval_all(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev);
	free(x.order);
	evaluation_release(&x.ev);
	design_release(&x.found);
	design_release(&x.trial);
}
