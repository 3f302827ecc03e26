/* SPDX-License-Identifier: MIT */
#include "planner/heuristic/local.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/cost/live.h"

/* Effort, in members moved: threads and units that are added up anew for one; a look at the passages. */
#define BUILD_WORK   16
#define PASSAGE_WORK 2

/* One gene's former value. */
struct undo {
	bool is_step;
	uint32_t slot; /* or the step's place in the design */
	uint16_t old;
};

struct local {
	const struct problem *pb;
	const struct local_options *opts;
	struct design *d;
	struct evaluation *ev;
	struct live live;
	uint32_t *slots; /* that may be changed, in order */
	uint32_t n_slots;
	struct undo *undo; /* what the pending change replaced */
	uint32_t n_undo;
	uint32_t *touched; /* phases that the pending change costs something else */
	bool *is_touched;
	uint32_t n_touched;
	uint32_t *of_thread; /* slots ordered by thread: those of t at [thread_at[t], thread_at[t + 1]) */
	uint32_t *thread_at;
	struct phase_cost *phase; /* saved results */
	struct cost *edge;
	struct cost total;
	uint32_t from, to; /* phases whose cost, or passages into them, the pending change touches */
	uint64_t evaluations;
	bool better;
};

static bool may_change(const struct local *x, uint32_t slot)
{
	const struct prob_slot *s = &x->pb->slots[slot];

	if (x->opts->inside && (s->first < x->opts->first || s->last > x->opts->last))
		return false;
	return s->kind != SLOT_FIXED && s->kind != SLOT_FOLLOW && s->first <= x->opts->last &&
	       s->last >= x->opts->first;
}

static bool exhausted(const struct local *x)
{
	return x->evaluations >= x->opts->max_evaluations;
}

/* ---- a pending change: begin, edit, then settle ---- */

static void local_begin(struct local *x)
{
	x->from = UINT32_MAX;
	x->to = 0;
	x->n_undo = 0;
	while (x->n_touched)
		x->is_touched[x->touched[--x->n_touched]] = false;
}

static void touch(struct local *x, uint32_t first, uint32_t last)
{
	x->from = first < x->from ? first : x->from;
	x->to = last > x->to ? last : x->to;
}

static void touch_phase(struct local *x, uint32_t p, uint64_t effort)
{
	x->evaluations += effort;
	if (x->is_touched[p])
		return;
	x->is_touched[p] = true;
	x->touched[x->n_touched++] = p;
}

static void set_unit(struct local *x, uint32_t slot, uint16_t unit)
{
	x->d->unit[slot] = unit;
	for (uint32_t i = x->live.spot_at[slot]; i < x->live.spot_at[slot + 1]; i++) {
		const struct live_spot *spot = &x->live.spots[i];

		live_move(&x->live, spot->phase, spot->member, unit, design_steps(x->pb, x->d, spot->phase));
		touch_phase(x, spot->phase, 1);
	}
}

static void put_unit(struct local *x, uint32_t slot, uint16_t unit)
{
	if (x->d->unit[slot] == unit)
		return;
	x->undo[x->n_undo++] = (struct undo){false, slot, x->d->unit[slot]};
	set_unit(x, slot, unit);
	touch(x, x->pb->slots[slot].touch_first, x->pb->slots[slot].touch_last);
}

/* An epoch's steps also price the passage out of it, and back into its loop. */
static void touch_epoch(struct local *x, uint32_t epoch)
{
	const struct problem *pb = x->pb;
	uint32_t first = pb->epochs[epoch],
		 end = epoch + 1 < pb->n_epochs ? pb->epochs[epoch + 1] : pb->n_phases;

	touch(x, first, end < pb->n_phases ? end : end - 1);
	for (uint32_t i = pb->leave_at[first]; i < pb->leave_at[end]; i++)
		touch(x, pb->edges[pb->leave[i]].to, pb->edges[pb->leave[i]].to);
}

static void set_step(struct local *x, uint32_t at, uint8_t step)
{
	uint32_t epoch = at / x->pb->machine->n_domains;

	x->d->step[at] = step;
	for (uint32_t p = x->pb->epochs[epoch]; p < x->pb->n_phases && x->pb->phases[p].epoch == epoch; p++) {
		live_build(&x->live, x->d, p);
		touch_phase(x, p, 1 + (x->pb->phases[p].n_members + x->pb->machine->n_units) / BUILD_WORK);
	}
}

static void put_step(struct local *x, uint32_t epoch, uint32_t domain, uint8_t step)
{
	uint32_t at = epoch * x->pb->machine->n_domains + domain;

	if (x->d->step[at] == step)
		return;
	x->undo[x->n_undo++] = (struct undo){true, at, x->d->step[at]};
	set_step(x, at, step);
	touch_epoch(x, epoch);
}

static void save(struct local *x, uint32_t lo, uint32_t hi)
{
	memcpy(x->phase + lo, x->ev->phase + lo, (hi - lo + 1) * sizeof(*x->phase));
	memcpy(x->edge + x->pb->edge_at[lo], x->ev->edge + x->pb->edge_at[lo],
	       (x->pb->edge_at[hi + 1] - x->pb->edge_at[lo]) * sizeof(*x->edge));
	x->total = x->ev->total;
}

static void restore(struct local *x, uint32_t lo, uint32_t hi)
{
	memcpy(x->ev->phase + lo, x->phase + lo, (hi - lo + 1) * sizeof(*x->phase));
	memcpy(x->ev->edge + x->pb->edge_at[lo], x->edge + x->pb->edge_at[lo],
	       (x->pb->edge_at[hi + 1] - x->pb->edge_at[lo]) * sizeof(*x->edge));
	x->ev->total = x->total;
}

static void take_back(struct local *x)
{
	while (x->n_undo) {
		const struct undo *u = &x->undo[--x->n_undo];

		if (u->is_step)
			set_step(x, u->slot, (uint8_t)u->old);
		else
			set_unit(x, u->slot, u->old);
	}
}

/*
 * Would the pending change be better if all passages it touches were free?
 * If not, they need not be looked at, and looking is more costly than the moves.
 */
static bool promising(const struct local *x)
{
	struct cost c = x->ev->total;

	c.late_ns = c.over_mw = c.peak_mw = 0;
	for (uint32_t i = 0; i < x->n_touched; i++) {
		uint32_t p = x->touched[i];
		const struct phase_cost *now = &x->live.cost[p], *old = &x->ev->phase[p];

		c.time_ns += (now->time_ns - old->time_ns) * x->pb->phases[p].repeats;
		c.energy_pj += (now->energy_pj - old->energy_pj) * x->pb->phases[p].repeats;
		c.peak_mw = now->draw_mw > c.peak_mw ? now->draw_mw : c.peak_mw;
	}
	for (uint32_t i = x->pb->edge_at[x->from]; x->ev->priced && i < x->pb->edge_at[x->to + 1]; i++) {
		c.time_ns -= x->ev->edge[i].time_ns * x->pb->edges[i].count;
		c.energy_pj -= x->ev->edge[i].energy_pj * x->pb->edges[i].count;
	}
	return cost_compare(&c, &x->ev->total, &x->opts->goal) < 0;
}

/* Keep the change if it is cheaper. */
static void local_settle(struct local *x)
{
	if (x->from > x->to)
		return;
	if (promising(x)) {
		save(x, x->from, x->to);
		eval_known(x->pb, x->d, x->live.cost, x->ev, x->from, x->to);
		x->evaluations += PASSAGE_WORK;
		if (cost_compare(&x->ev->total, &x->total, &x->opts->goal) < 0) {
			x->better = true;
			return;
		}
		restore(x, x->from, x->to);
	}
	take_back(x);
}

/* ---- the changes ---- */

static void move_slots(struct local *x)
{
	for (uint32_t i = 0; i < x->n_slots && !exhausted(x); i++)
		for (uint32_t u = 0; u < x->pb->machine->n_units; u++) {
			local_begin(x);
			put_unit(x, x->slots[i], (uint16_t)u);
			local_settle(x);
		}
}

static void put_thread(struct local *x, uint32_t thread, uint16_t unit)
{
	for (uint32_t i = x->thread_at[thread]; i < x->thread_at[thread + 1]; i++)
		if (may_change(x, x->of_thread[i]))
			put_unit(x, x->of_thread[i], unit);
}

static void move_threads(struct local *x)
{
	for (uint32_t t = 0; t < x->pb->model->n_threads && !exhausted(x); t++)
		for (uint32_t u = 0; x->thread_at[t + 1] - x->thread_at[t] > 1 && u < x->pb->machine->n_units;
		     u++) {
			local_begin(x);
			put_thread(x, t, (uint16_t)u);
			local_settle(x);
		}
}

/* Exchange slot @a with each slot that first meets it in phase @p. */
static void swap_in_phase(struct local *x, uint32_t a, uint32_t p)
{
	const struct prob_phase *ph = &x->pb->phases[p];

	for (uint32_t i = 0; i < ph->n_members; i++) {
		uint32_t b = ph->members[i].slot;
		uint16_t unit = x->d->unit[a];

		if (b <= a || !may_change(x, b) || (x->pb->slots[a].first < p && x->pb->slots[b].first < p))
			continue;
		local_begin(x);
		put_unit(x, a, x->d->unit[b]);
		put_unit(x, b, unit);
		local_settle(x);
	}
}

static void swap_slots(struct local *x)
{
	for (uint32_t i = 0; i < x->n_slots && !exhausted(x); i++) {
		uint32_t a = x->slots[i];

		for (uint32_t p = x->pb->slots[a].first; p <= x->pb->slots[a].last; p++)
			swap_in_phase(x, a, p);
	}
}

/* Both sides onto one unit, or onto two of a cache group. */
static void move_pair(struct local *x, uint32_t a, uint32_t b)
{
	const struct machine *m = x->pb->machine;

	for (uint32_t u = 0; u < m->n_units; u++)
		for (uint32_t v = m->packages[m->units[u].package].first;
		     v < m->packages[m->units[u].package].last; v++) {
			if (m->units[u].group != m->units[v].group)
				continue;
			local_begin(x);
			put_unit(x, a, (uint16_t)u);
			put_unit(x, b, (uint16_t)v);
			local_settle(x);
		}
}

/* Both sides where another pair is, and that pair where they were. */
static void swap_pairs(struct local *x, const struct prob_phase *ph, uint32_t i)
{
	const struct prob_conflict *c = &ph->conflicts[i];
	uint32_t a = ph->members[c->a].slot, b = ph->members[c->b].slot;

	for (uint32_t k = 0; k < ph->n_heavy; k++) {
		uint32_t other = ph->members[k].slot;
		uint16_t ua = x->d->unit[a], ub = x->d->unit[b], uo = x->d->unit[other];

		if (other == a || other == b || !may_change(x, other))
			continue;
		/* b beside a: whoever is on the units of a's group makes room. */
		if (x->pb->machine->units[ua].group == x->pb->machine->units[uo].group && ua != uo) {
			local_begin(x);
			put_unit(x, b, uo);
			put_unit(x, other, ub);
			local_settle(x);
		}
	}
}

static void move_pairs(struct local *x)
{
	for (uint32_t p = x->opts->first; p <= x->opts->last; p++) {
		const struct prob_phase *ph = &x->pb->phases[p];

		for (uint32_t i = 0; i < ph->n_heavy_conflicts && !exhausted(x); i++) {
			uint32_t a = ph->members[ph->conflicts[i].a].slot,
				 b = ph->members[ph->conflicts[i].b].slot;

			if (!may_change(x, a) || !may_change(x, b))
				continue;
			move_pair(x, a, b);
			swap_pairs(x, ph, i);
		}
	}
}

/* Domain @domain at @step in epochs [from, to]. */
static void try_steps(struct local *x, uint32_t from, uint32_t to, uint32_t domain, uint8_t step)
{
	local_begin(x);
	for (uint32_t epoch = from; epoch <= to; epoch++)
		put_step(x, epoch, domain, step);
	local_settle(x);
}

static void change_steps(struct local *x)
{
	const struct machine *m = x->pb->machine;
	uint32_t first = x->pb->phases[x->opts->first].epoch, last = x->pb->phases[x->opts->last].epoch;

	for (uint32_t epoch = first; epoch <= last && m->n_steps > 1; epoch++)
		for (uint32_t d = 0; d < m->n_domains && !exhausted(x); d++)
			for (uint32_t f = 0; f < m->n_steps; f++) {
				try_steps(x, epoch, epoch, d, (uint8_t)f);
				if (epoch < last)
					try_steps(x, epoch, last, d, (uint8_t)f);
				if (epoch > first && epoch < last)
					try_steps(x, first, epoch, d, (uint8_t)f);
			}
}

static bool asked_to_stop(const struct local *x)
{
	return exhausted(x) || (x->opts->stop && x->opts->stop(x->opts->ctx));
}

static void list_threads(struct local *x)
{
	const struct problem *pb = x->pb;
	uint32_t n = 0;

	for (uint32_t i = 0; i < pb->n_slots; i++)
		x->thread_at[pb->slots[i].thread]++;
	for (uint32_t t = 0; t < pb->model->n_threads; t++) {
		n += x->thread_at[t];
		x->thread_at[t] = n;
	}
	x->thread_at[pb->model->n_threads] = n;
	for (uint32_t i = pb->n_slots; i-- > 0;)
		x->of_thread[--x->thread_at[pb->slots[i].thread]] = i;
}

/* Build the phases that any change may touch. */
static void build(struct local *x)
{
	const struct local_options *o = x->opts;

	local_begin(x);
	touch(x, o->first, o->last);
	for (uint32_t i = 0; i < x->n_slots; i++)
		touch(x, x->pb->slots[x->slots[i]].touch_first, x->pb->slots[x->slots[i]].touch_last);
	for (uint32_t epoch = x->pb->phases[o->first].epoch; epoch <= x->pb->phases[o->last].epoch; epoch++)
		touch_epoch(x, epoch);
	for (uint32_t p = x->from; p <= x->to; p++)
		live_build(&x->live, x->d, p);
}

static void local_init(struct local *x, const struct scratch *s)
{
	const struct problem *pb = x->pb;

	x->undo = mem_new(pb->n_slots + pb->n_epochs + 1, sizeof(*x->undo));
	x->touched = mem_new(pb->n_phases, sizeof(*x->touched));
	x->is_touched = mem_new(pb->n_phases, sizeof(*x->is_touched));
	x->phase = mem_new(pb->n_phases, sizeof(*x->phase));
	x->edge = mem_new(pb->n_edges + 1, sizeof(*x->edge));
	x->of_thread = mem_new(pb->n_slots + 1, sizeof(*x->of_thread));
	x->thread_at = mem_new(pb->model->n_threads + 1, sizeof(*x->thread_at));
	x->slots = mem_new(pb->n_slots + 1, sizeof(*x->slots));
	for (uint32_t i = 0; i < pb->n_slots; i++)
		if (may_change(x, i))
			x->slots[x->n_slots++] = i;
	list_threads(x);
	live_init(&x->live, pb, s);
	build(x);
}

static void local_release(struct local *x)
{
	free(x->undo);
	free(x->touched);
	free(x->is_touched);
	free(x->phase);
	free(x->edge);
	free(x->of_thread);
	free(x->thread_at);
	free(x->slots);
	live_release(&x->live);
}

static void local_descend(struct local *x)
{
	do {
		x->better = false;
		move_slots(x);
		change_steps(x);
		move_threads(x);
		swap_slots(x);
		move_pairs(x);
	} while (x->better && !asked_to_stop(x));
}

void local_search(const struct problem *pb, struct design *d, const struct local_options *opts,
		  struct scratch *s, struct evaluation *ev, uint64_t *evaluations)
{
	struct local x = {.pb = pb, .opts = opts, .d = d, .ev = ev};

	local_init(&x, s);
	eval_all(pb, d, s, ev);
	local_descend(&x);
	*evaluations += x.evaluations;
	s->deltas += x.live.moves;
	local_release(&x);
}
