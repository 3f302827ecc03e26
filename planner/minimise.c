/* SPDX-License-Identifier: MIT */
/*
 * Fewer triggers are fewer lines to review: each change that is worth less
 * than 0.05 % of the objective is taken out, as long as all that is taken
 * out together stays below 0.2 %.
 */
#include <stddef.h>

#include "planner/planner.h"

#define EACH_PER_MILLION  500
#define TOTAL_PER_MILLION 2000

struct minimiser {
	struct planner *p;
	struct design trial;
	struct evaluation ev;
	uint64_t first; /* the objective's figure before anything was taken out */
};

static uint64_t primary(const struct minimiser *x, const struct evaluation *ev)
{
	return cost_primary(&ev->total, &x->p->opts.goal);
}

static bool worth_little(const struct minimiser *x, uint64_t cost)
{
	uint64_t now = primary(x, &x->p->best_ev);

	return cost <= now + now / 1000000 * EACH_PER_MILLION &&
	       cost <= x->first + x->first / 1000000 * TOTAL_PER_MILLION;
}

static void settle(struct minimiser *x)
{
	struct planner *p = x->p;

	eval_all(&p->problem, &x->trial, &p->scratch, &x->ev);
	p->evaluations++;
	if (worth_little(x, primary(x, &x->ev))) {
		design_copy(&p->best, &x->trial, &p->problem);
		eval_all(&p->problem, &p->best, &p->scratch, &p->best_ev);
		p->dropped++;
	} else {
		design_copy(&x->trial, &p->best, &p->problem);
	}
}

/* The thread's seat before @seat. */
static uint32_t seat_before(const struct problem *pb, uint32_t seat)
{
	uint32_t found = PROB_NONE;

	for (uint32_t i = 0; i < seat; i++)
		if (pb->seats[i].thread == pb->seats[seat].thread &&
		    (found == PROB_NONE || pb->seats[i].first > pb->seats[found].first) &&
		    pb->seats[i].first < pb->seats[seat].first)
			found = i;
	return found;
}

/* A thread that need not move at a call stays for as long as it had stayed at the new place. */
static void drop_moves(struct minimiser *x)
{
	const struct problem *pb = &x->p->problem;

	for (uint32_t i = 0; i < pb->n_seats; i++) {
		uint32_t before = pb->seats[i].kind == SEAT_SITE ? seat_before(pb, i) : PROB_NONE;
		uint16_t old = x->trial.unit[i];

		if (before == PROB_NONE || x->trial.unit[before] == old)
			continue;
		for (uint32_t k = 0; k < pb->n_seats; k++)
			if (pb->seats[k].thread == pb->seats[i].thread &&
			    pb->seats[k].first >= pb->seats[i].first && pb->seats[k].kind == SEAT_SITE &&
			    x->trial.unit[k] == old)
				x->trial.unit[k] = x->trial.unit[before];
		settle(x);
	}
}

static void drop_steps(struct minimiser *x)
{
	const struct problem *pb = &x->p->problem;
	uint32_t n = pb->machine->n_domains;

	for (uint32_t era = 0; era < pb->n_eras; era++)
		for (uint32_t d = 0; d < n; d++) {
			uint8_t *at = &x->trial.step[(size_t)era * n + d];
			uint8_t before = era ? *(at - n) : 0, old = *at;

			if (old == before)
				continue;
			for (uint32_t k = era; k < pb->n_eras && x->trial.step[(size_t)k * n + d] == old; k++)
				x->trial.step[(size_t)k * n + d] = before;
			settle(x);
		}
}

/*
 * Main is pinned only if its place matters: if the plan stays within 0.2 %
 * with main on any core, the operating system may choose.
 */
static void judge_main(struct minimiser *x)
{
	struct planner *p = x->p;
	uint64_t most = primary(x, &p->best_ev);

	for (uint32_t u = 0; u < p->machine.n_units && !p->place_main; u++) {
		for (uint32_t i = 0; i < p->problem.n_seats; i++)
			if (p->problem.seats[i].thread == 0)
				x->trial.unit[i] = (uint16_t)u;
		eval_all(&p->problem, &x->trial, &p->scratch, &x->ev);
		p->place_main = primary(x, &x->ev) > most + most / 1000000 * TOTAL_PER_MILLION;
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
	drop_moves(&x);
	drop_steps(&x);
	judge_main(&x);
	design_release(&x.trial);
	evaluation_release(&x.ev);
}
