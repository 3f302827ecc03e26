/* SPDX-License-Identifier: MIT */
/*
 * Fewer triggers are fewer lines to review: each change that is worth less
 * than a stated share of the objective is taken out, as long as all that is
 * taken out together stays below four times that.  Changes that are costly to
 * take out one by one, as those of two pairs of threads that trade places,
 * are weighed together first: n of them must be worth n times the share.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/planner.h"

#define TOTAL_OF_EACH 4
#define MAIN_WORTH    2000       /* millionths */
#define RELABEL_MOST  (1u << 18) /* phases that all relabelling together may evaluate */

struct minimiser {
	struct planner *p;
	struct design trial;
	struct evaluation ev;    /* of the trial */
	uint32_t *slots;         /* by thread, in the order of the run: slots[at[thread] .. at[thread + 1]) */
	uint32_t *at;            /* one more than threads */
	unsigned __int128 first; /* the objective's figure before anything was taken out */
};

/* With the draw as the objective it must not grow at all, and what is worth something is time. */
static unsigned __int128 primary(const struct minimiser *x, const struct evaluation *ev)
{
	const struct goal *goal = &x->p->out.goal;
	const struct cost c = outcome_cost(&x->p->out, ev);

	return goal->objective == PLAN_POWER ? c.time_ns : cost_primary(&c, goal);
}

/* Are @n changes worth so little that the trial is taken? */
static bool worth_little(const struct minimiser *x, const struct evaluation *ev, uint32_t n)
{
	unsigned __int128 now = primary(x, &x->p->out.best_ev), then = primary(x, ev);
	const struct planner_options *opts = &x->p->task.opts;
	uint64_t each = opts->worth_set ? opts->trigger_worth : TRIGGER_WORTH;

	if (x->p->out.goal.objective == PLAN_POWER && ev->total.peak_mw > x->p->out.best_ev.total.peak_mw)
		return false;
	return then <= now + now / 1000000 * each * n &&
	       then <= x->first + x->first / 1000000 * (TOTAL_OF_EACH * each);
}

/* Nothing is taken out that a deadline or the cap needs. */
static bool keeps_as_well(const struct minimiser *x)
{
	const struct goal *goal = &x->p->out.goal;
	const struct cost *now = &x->p->out.best_ev.total, *then = &x->ev.total;

	return cost_keeps(then, goal) || (!cost_keeps(now, goal) && cost_compare(then, now, goal) <= 0);
}

/*
 * The trial has @n changes less than the best design, and differs from it in
 * what phases [first, last] cost: take it or go back.
 */
static void minimise_settle(struct minimiser *x, uint32_t n, uint32_t first, uint32_t last)
{
	struct planner *p = x->p;

	eval_range(&p->problem, &x->trial, &p->search.scratch, &x->ev, first, last);
	p->out.evaluations++;
	if (n && keeps_as_well(x) && worth_little(x, &x->ev, n)) {
		design_copy(&p->out.best, &x->trial, &p->problem);
		eval_range(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev, first, last);
		p->out.dropped += n;
	} else {
		design_copy(&x->trial, &p->out.best, &p->problem);
		eval_range(&p->problem, &x->trial, &p->search.scratch, &x->ev, first, last);
	}
}

/* ---- moves ---- */

static void sort_slots(struct minimiser *x)
{
	const struct problem *pb = &x->p->problem;
	uint32_t n = (uint32_t)pb->model->n_threads;

	x->slots = mem_new(pb->n_slots + 1, sizeof(*x->slots));
	x->at = mem_new(n + 2, sizeof(*x->at));
	for (uint32_t i = 0; i < pb->n_slots; i++)
		x->at[pb->slots[i].thread + 2]++;
	for (uint32_t t = 0; t < n; t++)
		x->at[t + 2] += x->at[t + 1];
	/* Slots are numbered in the order of the run. */
	for (uint32_t i = 0; i < pb->n_slots; i++)
		x->slots[x->at[pb->slots[i].thread + 1]++] = i;
}

/*
 * The thread's slot at @i of the list is not moved to; neither are its later
 * ones at the same place, so that it does not move there a little later.
 */
static void stay(struct minimiser *x, uint32_t i, uint32_t end)
{
	const struct problem *pb = &x->p->problem;
	uint16_t before = x->trial.unit[x->slots[i - 1]], old = x->trial.unit[x->slots[i]];
	uint32_t first = pb->n_phases - 1, last = 0;

	for (uint32_t k = i; k < end; k++) {
		const struct prob_slot *s = &pb->slots[x->slots[k]];

		if (s->kind != SLOT_SITE || x->trial.unit[x->slots[k]] != old)
			continue;
		x->trial.unit[x->slots[k]] = before;
		first = s->touch_first < first ? s->touch_first : first;
		last = s->touch_last > last ? s->touch_last : last;
	}
	minimise_settle(x, 1, first, last);
}

static void drop_moves(struct minimiser *x)
{
	const struct problem *pb = &x->p->problem;

	for (uint32_t t = 0; t < pb->model->n_threads; t++)
		for (uint32_t i = x->at[t] + 1; i < x->at[t + 1]; i++)
			if (pb->slots[x->slots[i]].kind == SLOT_SITE &&
			    x->trial.unit[x->slots[i]] != x->trial.unit[x->slots[i - 1]])
				stay(x, i, x->at[t + 1]);
}

/* ---- steps ---- */

/* Epochs [from, to) have changed: what costs differently lies in their phases, and where these lead to. */
static void settle_epochs(struct minimiser *x, uint32_t from, uint32_t to)
{
	const struct problem *pb = &x->p->problem;
	uint32_t begin = pb->epochs[from], end = to < pb->n_epochs ? pb->epochs[to] : pb->n_phases;
	uint32_t first = begin, last = end - 1;

	for (uint32_t i = 0; i < pb->n_edges; i++) {
		const struct prob_edge *e = &pb->edges[i];

		if (e->from == PROB_NONE || e->from < begin || e->from >= end)
			continue;
		first = e->to < first ? e->to : first;
		last = e->to > last ? e->to : last;
	}
	minimise_settle(x, 1, first, last);
}

static void drop_steps(struct minimiser *x)
{
	const struct problem *pb = &x->p->problem;
	uint32_t n = pb->machine->n_domains;

	for (uint32_t epoch = 0; epoch < pb->n_epochs; epoch++)
		for (uint32_t d = 0; d < n; d++) {
			uint8_t *at = &x->trial.step[(size_t)epoch * n + d];
			uint8_t before = epoch ? *(at - n) : 0, old = *at;
			uint32_t k;

			if (old == before)
				continue;
			for (k = epoch; k < pb->n_epochs && x->trial.step[(size_t)k * n + d] == old; k++)
				x->trial.step[(size_t)k * n + d] = before;
			settle_epochs(x, epoch, k);
		}
}

/* ---- groups ---- */

/* Changes of a design: those of main apart, which count only if main is pinned. */
struct changes {
	uint32_t others, main;
};

static void count_moves(const struct problem *pb, const struct design *d, struct changes *c)
{
	uint8_t *moves = mem_new(pb->n_slots + 1, sizeof(*moves));

	for (uint32_t e = 0; e < pb->n_edges; e++)
		for (uint32_t i = 0; i < pb->edges[e].n_arrivals; i++) {
			const struct prob_arrival *a = &pb->edges[e].arrivals[i];

			moves[a->slot] |= a->before != PROB_NONE && pb->slots[a->slot].kind == SLOT_SITE &&
					  design_unit(pb, d, a->slot) != design_unit(pb, d, a->before);
		}
	for (uint32_t i = 0; i < pb->n_slots; i++)
		*(pb->slots[i].thread ? &c->others : &c->main) += moves[i];
	free(moves);
}

static void count_steps(const struct problem *pb, const struct design *d, struct changes *c)
{
	uint32_t n = pb->machine->n_domains;

	for (uint32_t epoch = 0; epoch < pb->n_epochs; epoch++)
		for (uint32_t k = 0; k < n; k++) {
			uint32_t to = pb->epochs[epoch];
			bool changes = false;

			for (uint32_t e = pb->edge_at[to]; e < pb->edge_at[to + 1]; e++) {
				uint32_t from = pb->edges[e].from;

				changes |= d->step[(size_t)epoch * n + k] !=
					   (from == PROB_NONE ? 0 : design_steps(pb, d, from)[k]);
			}
			c->others += changes;
		}
}

/* How many changes the trial has less than the best design; 0 too if it has more. */
static uint32_t saved(const struct minimiser *x)
{
	const struct problem *pb = &x->p->problem;
	struct changes now = {0}, then = {0};

	count_moves(pb, &x->p->out.best, &now);
	count_steps(pb, &x->p->out.best, &now);
	count_moves(pb, &x->trial, &then);
	count_steps(pb, &x->trial, &then);
	return then.others < now.others && then.main <= now.main ? now.others - then.others : 0;
}

static void settle_group(struct minimiser *x, uint32_t first)
{
	minimise_settle(x, saved(x), first, x->p->problem.n_phases - 1);
}

/* What plans of the kinds below reach, the least kind first. */
static void take_lower_kinds(struct minimiser *x)
{
	struct planner *p = x->p;

	for (int kind = PLAN_KIND_START; kind >= 0; kind--) {
		if (!p->search.lower[kind].unit)
			continue;
		design_copy(&x->trial, &p->search.lower[kind], &p->problem);
		settle_group(x, 0);
	}
}

static bool moves_into(const struct minimiser *x, uint32_t i, uint32_t phase)
{
	const struct prob_slot *s = &x->p->problem.slots[x->slots[i]];

	return s->kind == SLOT_SITE && s->first == phase &&
	       x->p->out.best.unit[x->slots[i]] != x->p->out.best.unit[x->slots[i - 1]];
}

/* All that move into a phase stay where they were, until they move on. */
static uint32_t stay_all(struct minimiser *x, uint32_t phase)
{
	const struct planner *p = x->p;
	uint32_t movers = 0;

	for (uint32_t t = 0; t < p->task.model->n_threads; t++)
		for (uint32_t i = x->at[t] + 1; i < x->at[t + 1]; i++) {
			uint16_t old = p->out.best.unit[x->slots[i]];

			if (!moves_into(x, i, phase))
				continue;
			movers++;
			for (uint32_t k = i; k < x->at[t + 1] && p->out.best.unit[x->slots[k]] == old; k++)
				if (p->problem.slots[x->slots[k]].kind == SLOT_SITE)
					x->trial.unit[x->slots[k]] = x->trial.unit[x->slots[i - 1]];
		}
	return movers;
}

/* Units of another name from @phase on, such that those that move into it need not; the rest keep theirs. */
static void name_units(const struct minimiser *x, uint32_t phase, uint16_t *to, uint8_t *taken)
{
	const struct planner *p = x->p;
	uint32_t n = p->machine.n_units;

	memset(taken, 0, 2 * (size_t)n); /* as a new name, and from n on: has one */
	for (uint32_t t = 1; t < p->task.model->n_threads; t++)
		for (uint32_t i = x->at[t] + 1; i < x->at[t + 1]; i++) {
			uint16_t before = p->out.best.unit[x->slots[i - 1]],
				 now = p->out.best.unit[x->slots[i]];

			if (!moves_into(x, i, phase) || taken[before] || taken[n + now])
				continue;
			to[now] = before;
			taken[before] = taken[n + now] = 1;
		}
	for (uint32_t u = 0; u < n; u++)
		if (!taken[n + u] && !taken[u]) {
			to[u] = (uint16_t)u;
			taken[u] = taken[n + u] = 1;
		}
	for (uint32_t u = 0, v = 0; u < n; u++) {
		if (taken[n + u])
			continue;
		while (taken[v])
			v++;
		to[u] = (uint16_t)v;
		taken[v] = 1;
	}
}

static void relabel(struct minimiser *x, uint32_t phase, uint16_t *to, uint8_t *taken)
{
	const struct planner *p = x->p;
	const struct problem *pb = &p->problem;
	const struct machine *m = &p->machine;

	name_units(x, phase, to, taken);
	for (uint32_t i = 0; i < pb->n_slots; i++)
		if (pb->slots[i].first >= phase &&
		    (pb->slots[i].kind == SLOT_SITE || pb->slots[i].kind == SLOT_START))
			x->trial.unit[i] = to[p->out.best.unit[i]];
	for (uint32_t epoch = 0; epoch < pb->n_epochs; epoch++)
		for (uint32_t u = 0; pb->epochs[epoch] >= phase && u < m->n_units; u++)
			x->trial.step[(size_t)epoch * m->n_domains + m->units[to[u]].domain] =
				p->out.best.step[(size_t)epoch * m->n_domains + m->units[u].domain];
}

/* Each phase into which several threads move. */
static void drop_groups(struct minimiser *x)
{
	const struct problem *pb = &x->p->problem;
	uint32_t n = x->p->machine.n_units, left = RELABEL_MOST;
	uint16_t *to = mem_new(n, sizeof(*to));
	uint8_t *taken = mem_new(2 * (size_t)n, sizeof(*taken));

	for (uint32_t phase = 1; phase < pb->n_phases && left >= 2 * pb->n_phases; phase++) {
		uint32_t movers = stay_all(x, phase);

		if (movers) {
			left -= 2 * pb->n_phases;
			settle_group(x, 0);
			relabel(x, phase, to, taken);
			settle_group(x, 0);
		}
	}
	free(taken);
	free(to);
}

/* ---- main ---- */

/*
 * Main is pinned only if its place matters: if the plan stays within 0.2 %
 * with main on any core, the operating system may choose.
 */
static void judge_main(struct minimiser *x)
{
	struct planner *p = x->p;
	unsigned __int128 most = primary(x, &p->out.best_ev);

	for (uint32_t u = 0; u < p->machine.n_units && !p->out.place_main; u++) {
		for (uint32_t i = 0; i < p->problem.n_slots; i++)
			if (p->problem.slots[i].thread == 0)
				x->trial.unit[i] = (uint16_t)u;
		eval_all(&p->problem, &x->trial, &p->search.scratch, &x->ev);
		p->out.place_main = !keeps_as_well(x) ||
				    primary(x, &x->ev) > most + most / 1000000 * MAIN_WORTH ||
				    (p->out.goal.objective == PLAN_POWER &&
				     x->ev.total.peak_mw > p->out.best_ev.total.peak_mw);
	}
	design_copy(&x->trial, &p->out.best, &p->problem);
}

static void open_minimiser(struct minimiser *x, struct planner *p)
{
	*x = (struct minimiser){.p = p};
	x->first = primary(x, &p->out.best_ev);
	design_init(&x->trial, &p->problem);
	evaluation_init(&x->ev, &p->problem, true);
	design_copy(&x->trial, &p->out.best, &p->problem);
	eval_all(&p->problem, &x->trial, &p->search.scratch, &x->ev);
}

static void close_minimiser(struct minimiser *x)
{
	design_release(&x->trial);
	evaluation_release(&x->ev);
	free(x->slots);
	free(x->at);
}

void planner_minimise(struct planner *p)
{
	struct minimiser x;

	open_minimiser(&x, p);
	sort_slots(&x);
	take_lower_kinds(&x);
	drop_groups(&x);
	drop_moves(&x);
	drop_steps(&x);
	judge_main(&x);
	close_minimiser(&x);
}

void planner_judge_main(struct planner *p)
{
	struct minimiser x;

	open_minimiser(&x, p);
	p->out.place_main = false;
	judge_main(&x);
	close_minimiser(&x);
}
