/* SPDX-License-Identifier: MIT */
/*
 * Fewer triggers are fewer lines to review: each change that is worth less
 * than a stated share of the objective is taken out, as long as all that is
 * taken out together stays below four times that.
 */
#include <stdlib.h>

#include "lib/mem.h"
#include "planner/planner.h"
#include "planner/worst.h"

#define TOTAL_OF_EACH 4
#define MAIN_WORTH    2000 /* millionths */

struct minimiser {
	struct planner *p;
	struct design trial;
	struct evaluation ev;    /* of the trial */
	uint32_t *seats;         /* by thread, in the order of the run: seats[at[thread] .. at[thread + 1]) */
	uint32_t *at;            /* one more than threads */
	unsigned __int128 first; /* the objective's figure before anything was taken out */
};

/* With the draw as the objective it must not grow at all, and what is worth something is time. */
static unsigned __int128 primary(const struct minimiser *x, const struct evaluation *ev)
{
	const struct goal *goal = &x->p->opts.goal;
	const struct cost c = worst_cost(x->p, ev);

	return goal->objective == PLAN_POWER ? c.time_ns : cost_primary(&c, goal);
}

static bool worth_little(const struct minimiser *x, const struct evaluation *ev)
{
	unsigned __int128 now = primary(x, &x->p->best_ev), then = primary(x, ev);
	uint64_t each = x->p->opts.trigger_worth;

	if (x->p->opts.goal.objective == PLAN_POWER && ev->total.peak_mw > x->p->best_ev.total.peak_mw)
		return false;
	return then <= now + now / 1000000 * each &&
	       then <= x->first + x->first / 1000000 * (TOTAL_OF_EACH * each);
}

/* Nothing is taken out that a deadline or the cap needs. */
static bool keeps_as_well(const struct minimiser *x)
{
	const struct goal *goal = &x->p->opts.goal;
	const struct cost *now = &x->p->best_ev.total, *then = &x->ev.total;

	return cost_keeps(then, goal) || (!cost_keeps(now, goal) && cost_compare(then, now, goal) <= 0);
}

/* The trial differs from the best design in what phases [first, last] cost: take it or go back. */
static void settle(struct minimiser *x, uint32_t first, uint32_t last)
{
	struct planner *p = x->p;

	eval_range(&p->problem, &x->trial, &p->scratch, &x->ev, first, last);
	p->evaluations++;
	if (keeps_as_well(x) && worth_little(x, &x->ev)) {
		design_copy(&p->best, &x->trial, &p->problem);
		eval_range(&p->problem, &p->best, &p->scratch, &p->best_ev, first, last);
		p->dropped++;
	} else {
		design_copy(&x->trial, &p->best, &p->problem);
		eval_range(&p->problem, &x->trial, &p->scratch, &x->ev, first, last);
	}
}

/* ---- moves ---- */

static void sort_seats(struct minimiser *x)
{
	const struct problem *pb = &x->p->problem;
	uint32_t n = (uint32_t)pb->model->n_threads;

	x->seats = mem_new(pb->n_seats + 1, sizeof(*x->seats));
	x->at = mem_new(n + 2, sizeof(*x->at));
	for (uint32_t i = 0; i < pb->n_seats; i++)
		x->at[pb->seats[i].thread + 2]++;
	for (uint32_t t = 0; t < n; t++)
		x->at[t + 2] += x->at[t + 1];
	/* Seats are numbered in the order of the run. */
	for (uint32_t i = 0; i < pb->n_seats; i++)
		x->seats[x->at[pb->seats[i].thread + 1]++] = i;
}

/*
 * The thread's seat at @i of the list is not moved to; neither are its later
 * ones at the same place, so that it does not move there a little later.
 */
static void stay(struct minimiser *x, uint32_t i, uint32_t end)
{
	const struct problem *pb = &x->p->problem;
	uint16_t before = x->trial.unit[x->seats[i - 1]], old = x->trial.unit[x->seats[i]];
	uint32_t first = pb->n_phases - 1, last = 0;

	for (uint32_t k = i; k < end; k++) {
		const struct prob_seat *s = &pb->seats[x->seats[k]];

		if (s->kind != SEAT_SITE || x->trial.unit[x->seats[k]] != old)
			continue;
		x->trial.unit[x->seats[k]] = before;
		first = s->touch_first < first ? s->touch_first : first;
		last = s->touch_last > last ? s->touch_last : last;
	}
	settle(x, first, last);
}

static void drop_moves(struct minimiser *x)
{
	const struct problem *pb = &x->p->problem;

	sort_seats(x);
	for (uint32_t t = 0; t < pb->model->n_threads; t++)
		for (uint32_t i = x->at[t] + 1; i < x->at[t + 1]; i++)
			if (pb->seats[x->seats[i]].kind == SEAT_SITE &&
			    x->trial.unit[x->seats[i]] != x->trial.unit[x->seats[i - 1]])
				stay(x, i, x->at[t + 1]);
	free(x->seats);
	free(x->at);
}

/* ---- steps ---- */

/* Eras [from, to) have changed: what costs differently lies in their phases, and where these lead to. */
static void settle_eras(struct minimiser *x, uint32_t from, uint32_t to)
{
	const struct problem *pb = &x->p->problem;
	uint32_t begin = pb->eras[from], end = to < pb->n_eras ? pb->eras[to] : pb->n_phases;
	uint32_t first = begin, last = end - 1;

	for (uint32_t i = 0; i < pb->n_edges; i++) {
		const struct prob_edge *e = &pb->edges[i];

		if (e->from == PROB_NONE || e->from < begin || e->from >= end)
			continue;
		first = e->to < first ? e->to : first;
		last = e->to > last ? e->to : last;
	}
	settle(x, first, last);
}

static void drop_steps(struct minimiser *x)
{
	const struct problem *pb = &x->p->problem;
	uint32_t n = pb->machine->n_domains;

	for (uint32_t era = 0; era < pb->n_eras; era++)
		for (uint32_t d = 0; d < n; d++) {
			uint8_t *at = &x->trial.step[(size_t)era * n + d];
			uint8_t before = era ? *(at - n) : 0, old = *at;
			uint32_t k;

			if (old == before)
				continue;
			for (k = era; k < pb->n_eras && x->trial.step[(size_t)k * n + d] == old; k++)
				x->trial.step[(size_t)k * n + d] = before;
			settle_eras(x, era, k);
		}
}

/* ---- main ---- */

/*
 * Main is pinned only if its place matters: if the plan stays within 0.2 %
 * with main on any core, the operating system may choose.
 */
static void judge_main(struct minimiser *x)
{
	struct planner *p = x->p;
	unsigned __int128 most = primary(x, &p->best_ev);

	for (uint32_t u = 0; u < p->machine.n_units && !p->place_main; u++) {
		for (uint32_t i = 0; i < p->problem.n_seats; i++)
			if (p->problem.seats[i].thread == 0)
				x->trial.unit[i] = (uint16_t)u;
		eval_all(&p->problem, &x->trial, &p->scratch, &x->ev);
		p->place_main = !keeps_as_well(x) ||
				primary(x, &x->ev) > most + most / 1000000 * MAIN_WORTH ||
				(p->opts.goal.objective == PLAN_POWER &&
				 x->ev.total.peak_mw > p->best_ev.total.peak_mw);
	}
	design_copy(&x->trial, &p->best, &p->problem);
}

void planner_minimise(struct planner *p)
{
	struct minimiser x = {.p = p};

	x.first = primary(&x, &p->best_ev);
	design_init(&x.trial, &p->problem);
	evaluation_init(&x.ev, &p->problem, true);
	design_copy(&x.trial, &p->best, &p->problem);
	eval_all(&p->problem, &x.trial, &p->scratch, &x.ev);
	drop_moves(&x);
	drop_steps(&x);
	judge_main(&x);
	design_release(&x.trial);
	evaluation_release(&x.ev);
}
