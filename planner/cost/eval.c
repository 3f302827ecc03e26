/* SPDX-License-Identifier: MIT */
#include "planner/cost/eval.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/problem/inputs.h"

void design_init(struct design *d, const struct problem *pb)
{
	*d = (struct design){0};
	d->unit = mem_new(pb->n_slots + 1, sizeof(*d->unit));
	d->step = mem_new((size_t)pb->n_epochs * pb->machine->n_domains + 1, sizeof(*d->step));
}

void design_copy(struct design *to, const struct design *from, const struct problem *pb)
{
	memcpy(to->unit, from->unit, pb->n_slots * sizeof(*to->unit));
	memcpy(to->step, from->step, (size_t)pb->n_epochs * pb->machine->n_domains);
}

bool design_same(const struct design *a, const struct design *b, const struct problem *pb)
{
	return !memcmp(a->unit, b->unit, pb->n_slots * sizeof(*a->unit)) &&
	       !memcmp(a->step, b->step, (size_t)pb->n_epochs * pb->machine->n_domains);
}

void design_keep_fixed(struct design *d, const struct design *from, const struct problem *pb)
{
	for (uint32_t i = 0; i < pb->n_slots; i++)
		if (pb->slots[i].kind == SLOT_FIXED)
			d->unit[i] = from->unit[i];
}

uint32_t design_core(const struct problem *pb, const struct design *d, uint32_t slot)
{
	const struct prob_slot *s = &pb->slots[slot];
	uint16_t unit = design_unit(pb, d, slot);
	uint32_t nth = 0;

	/* Slots on the hardware threads of one core are dealt in order. */
	for (uint32_t i = 0; i < slot; i++) {
		const struct prob_slot *o = &pb->slots[i];

		nth += o->thread != s->thread && design_unit(pb, d, i) == unit && o->first <= s->last &&
		       s->first <= o->last;
	}
	return machine_core_id(pb->machine, unit, nth);
}

void design_release(struct design *d)
{
	free(d->unit);
	free(d->step);
	free(d->at);
	*d = (struct design){0};
}

void evaluation_init(struct evaluation *ev, const struct problem *pb, bool priced)
{
	*ev = (struct evaluation){.priced = priced};
	ev->phase = mem_new(pb->n_phases, sizeof(*ev->phase));
	ev->edge = mem_new(pb->n_edges + 1, sizeof(*ev->edge));
}

void evaluation_release(struct evaluation *ev)
{
	free(ev->phase);
	free(ev->edge);
	*ev = (struct evaluation){0};
}

uint64_t eval_start_ns(const struct problem *pb)
{
	const struct platform *p = pb->machine->platform;

	return p->trigger_ns + p->affinity_ns + pb->machine->migrate_max;
}

void eval_phase(const struct problem *pb, const struct design *d, uint32_t phase, struct scratch *s,
		struct phase_cost *cost)
{
	const struct prob_phase *ph = &pb->phases[phase];

	for (uint32_t i = 0; i < ph->n_members; i++)
		s->unit[i] = design_unit_in(pb, d, phase, ph->members[i].slot);
	s->by_chance = d->moved;
	phase_eval(pb, ph, ph->n_members, s->unit, design_steps(pb, d, phase), s, cost);
	s->by_chance = false;
}

/* What the thread of one arrival does before it goes on, ns. */
static uint64_t arrival_ns(const struct problem *pb, const struct design *d, const struct prob_arrival *a)
{
	const struct machine *m = pb->machine;
	const struct prob_slot *slot = &pb->slots[a->slot];
	uint16_t to = design_unit(pb, d, a->slot), from;

	if (slot->kind == SLOT_FIXED || slot->kind == SLOT_FOLLOW)
		return 0;
	if (a->before == PROB_NONE)
		return eval_start_ns(pb);
	from = design_unit(pb, d, a->before);
	if (from == to)
		return 0;
	return m->platform->trigger_ns + m->platform->affinity_ns +
	       m->migrate[(size_t)from * m->n_units + to];
}

static uint64_t steps_ns(const struct problem *pb, const struct design *d, const struct prob_edge *e)
{
	const struct machine *m = pb->machine;
	const uint8_t *to = design_steps(pb, d, e->to);
	const uint8_t *from = e->from == PROB_NONE ? NULL : design_steps(pb, d, e->from);
	uint32_t changes = 0;

	if (from == to)
		return 0;
	for (uint32_t k = 0; k < m->n_domains; k++)
		changes += to[k] != (from ? from[k] : 0);
	return changes ? changes * m->platform->frequency_ns + m->platform->trigger_ns : 0;
}

static struct cost edge_cost(const struct problem *pb, const struct design *d, const struct prob_edge *e,
			     uint64_t draw_mw)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < e->n_arrivals; i++) {
		uint64_t a = arrival_ns(pb, d, &e->arrivals[i]);

		ns = a > ns ? a : ns;
	}
	ns += steps_ns(pb, d, e);
	return (struct cost){.time_ns = ns, .energy_pj = ns * draw_mw};
}

/* Take out (@sign -1) or put in (@sign 1) what phase @p and the passages into it add to the totals. */
static void eval_count(const struct problem *pb, struct evaluation *ev, uint32_t p, uint64_t sign)
{
	const struct prob_phase *ph = &pb->phases[p];
	const struct phase_cost *c = &ev->phase[p];
	uint64_t time = c->time_ns * ph->repeats, energy = c->energy_pj * ph->repeats;

	for (uint32_t i = pb->edge_at[p]; i < pb->edge_at[p + 1]; i++) {
		time += ev->edge[i].time_ns * pb->edges[i].count;
		energy += ev->edge[i].energy_pj * pb->edges[i].count;
	}
	ev->total.time_ns += sign * time;
	ev->total.energy_pj += sign * energy;
}

/* How far a phase with the passages into it is beyond its deadline, and its draw above the cap. */
static void count_limits(const struct problem *pb, struct evaluation *ev, uint32_t p, uint64_t sign)
{
	const struct prob_phase *ph = &pb->phases[p];
	const struct phase_cost *c = &ev->phase[p];
	uint64_t late = 0;

	for (uint32_t i = pb->edge_at[p]; ph->limit_ns && i < pb->edge_at[p + 1]; i++) {
		uint64_t ns = c->time_ns + ev->edge[i].time_ns;

		late += ns > ph->limit_ns ? (ns - ph->limit_ns) * pb->edges[i].count : 0;
	}
	ev->total.late_ns += sign * late;
	if (pb->cap_mw && c->draw_mw > pb->cap_mw)
		ev->total.over_mw += sign * (c->draw_mw - pb->cap_mw);
}

static void put_edge(const struct problem *pb, const struct design *d, struct evaluation *ev, uint32_t i)
{
	const struct prob_edge *e = &pb->edges[i];

	ev->edge[i] = edge_cost(pb, d, e, ev->phase[e->to].draw_mw);
}

/* The largest draw of phases [first, last]. */
static uint64_t peak(const struct evaluation *ev, uint32_t first, uint32_t last)
{
	uint64_t mw = 0;

	for (uint32_t p = first; p <= last; p++)
		mw = ev->phase[p].draw_mw > mw ? ev->phase[p].draw_mw : mw;
	return mw;
}

static void count_range(const struct problem *pb, struct evaluation *ev, uint32_t first, uint32_t last,
			uint64_t sign)
{
	for (uint32_t p = first; p <= last; p++) {
		eval_count(pb, ev, p, sign);
		if (pb->limited)
			count_limits(pb, ev, p, sign);
	}
}

/* @known: results of the phases, or NULL: by evaluating them. */
static void range(const struct problem *pb, const struct design *d, struct scratch *s, struct evaluation *ev,
		  const struct phase_cost *known, uint32_t first, uint32_t last)
{
	uint64_t before = peak(ev, first, last), now;

	count_range(pb, ev, first, last, (uint64_t)-1);
	for (uint32_t p = first; p <= last; p++)
		if (known)
			ev->phase[p] = known[p];
		else
			eval_phase(pb, d, p, s, &ev->phase[p]);
	for (uint32_t i = pb->edge_at[first]; ev->priced && i < pb->edge_at[last + 1]; i++)
		put_edge(pb, d, ev, i);
	count_range(pb, ev, first, last, 1);
	now = peak(ev, first, last);
	/* Only if the largest draw has become smaller, the other phases must be asked. */
	if (now >= ev->total.peak_mw)
		ev->total.peak_mw = now;
	else if (before == ev->total.peak_mw)
		ev->total.peak_mw = peak(ev, 0, pb->n_phases - 1);
}

void eval_range(const struct problem *pb, const struct design *d, struct scratch *s, struct evaluation *ev,
		uint32_t first, uint32_t last)
{
	range(pb, d, s, ev, NULL, first, last);
}

void eval_known(const struct problem *pb, const struct design *d, const struct phase_cost *known,
		struct evaluation *ev, uint32_t first, uint32_t last)
{
	range(pb, d, NULL, ev, known, first, last);
}

void eval_all(const struct problem *pb, const struct design *d, struct scratch *s, struct evaluation *ev)
{
	memset(ev->phase, 0, pb->n_phases * sizeof(*ev->phase));
	memset(ev->edge, 0, pb->n_edges * sizeof(*ev->edge));
	ev->total = (struct cost){0};
	eval_range(pb, d, s, ev, 0, pb->n_phases - 1);
}

void eval_one(const struct problem *pb, const struct design *d, struct scratch *s, struct evaluation *ev,
	      uint32_t phase)
{
	eval_phase(pb, d, phase, s, &ev->phase[phase]);
	for (uint32_t i = pb->edge_at[phase]; ev->priced && i < pb->edge_at[phase + 1]; i++)
		put_edge(pb, d, ev, i);
}

void eval_sum(const struct problem *pb, const struct evaluation *ev, uint32_t first, uint32_t last,
	      struct cost *sum)
{
	struct evaluation part = *ev;

	part.total = (struct cost){0};
	count_range(pb, &part, first, last, 1);
	part.total.peak_mw = peak(ev, first, last);
	*sum = part.total;
}

bool eval_balanced(const struct problem *pb, const struct design *d, struct scratch *s,
		   const struct evaluation *ev)
{
	unsigned __int128 spent = 0, time = 0;

	for (uint32_t p = 0; p < pb->n_phases; p++) {
		struct phase_states st = {0};
		struct phase_cost c;

		eval_phase(pb, d, p, s, &c);
		phase_states(pb, s, &c, &st);
		spent += (unsigned __int128)(st.busy + st.idle + st.halted) * pb->phases[p].repeats;
		time += (unsigned __int128)c.time_ns * pb->phases[p].repeats;
	}
	for (uint32_t i = 0; i < pb->n_edges; i++) {
		spent += (unsigned __int128)ev->edge[i].time_ns * pb->edges[i].count * pb->machine->n_units;
		time += (unsigned __int128)ev->edge[i].time_ns * pb->edges[i].count;
	}
	return spent == time * pb->machine->n_units && time == ev->total.time_ns;
}

uint64_t eval_halt_ns(const struct problem *pb, const struct design *d, struct scratch *s,
		      const struct evaluation *ev)
{
	uint64_t sum = 0;

	for (uint32_t p = 0; p < pb->n_phases; p++) {
		struct phase_cost c;
		uint64_t halted = 0;

		eval_phase(pb, d, p, s, &c);
		sum += phase_halt_ns(pb, s, &c) * pb->phases[p].repeats;
		for (uint32_t k = 0; k < pb->machine->n_packages; k++)
			halted += pb->machine->packages[k].halts && !s->longest[k];
		for (uint32_t i = pb->edge_at[p]; i < pb->edge_at[p + 1]; i++)
			sum += ev->edge[i].time_ns * pb->edges[i].count * halted;
	}
	return sum;
}

struct cost eval_input(const struct problem *pb, const struct evaluation *ev, uint32_t input)
{
	uint32_t n = pb->inputs ? pb->inputs->n : 1;
	struct cost sum = {0};

	for (uint32_t p = input; p < pb->n_phases; p += n) {
		const struct phase_cost *c = &ev->phase[p];

		cost_add(&sum,
			 &(struct cost){
				 .time_ns = c->time_ns, .energy_pj = c->energy_pj, .peak_mw = c->draw_mw},
			 pb->phases[p].repeats);
		for (uint32_t i = pb->edge_at[p]; i < pb->edge_at[p + 1]; i++)
			cost_add(&sum, &ev->edge[i], pb->edges[i].count);
	}
	return sum;
}
