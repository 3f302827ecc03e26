/* SPDX-License-Identifier: MIT */
#include "planner/eval.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

void design_init(struct design *d, const struct problem *pb)
{
	d->unit = mem_new(pb->n_seats + 1, sizeof(*d->unit));
	d->step = mem_new((size_t)pb->n_eras * pb->machine->n_domains + 1, sizeof(*d->step));
}

void design_copy(struct design *to, const struct design *from, const struct problem *pb)
{
	memcpy(to->unit, from->unit, pb->n_seats * sizeof(*to->unit));
	memcpy(to->step, from->step, (size_t)pb->n_eras * pb->machine->n_domains);
}

void design_release(struct design *d)
{
	free(d->unit);
	free(d->step);
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
		s->unit[i] = design_unit(pb, d, ph->members[i].seat);
	phase_eval(pb, ph, ph->n_members, s->unit, design_steps(pb, d, phase), s, cost);
}

/* What the thread of one arrival does before it goes on, ns. */
static uint64_t arrival_ns(const struct problem *pb, const struct design *d, const struct prob_arrival *a)
{
	const struct machine *m = pb->machine;
	const struct prob_seat *seat = &pb->seats[a->seat];
	uint16_t to = design_unit(pb, d, a->seat), from;

	if (seat->kind == SEAT_FIXED || seat->kind == SEAT_FOLLOW)
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
	return (struct cost){ns, ns * draw_mw};
}

static void put_phase(const struct problem *pb, const struct design *d, struct scratch *s,
		      struct evaluation *ev, uint32_t p)
{
	uint64_t n = pb->phases[p].repeats;

	ev->total.time_ns -= ev->phase[p].time_ns * n;
	ev->total.energy_pj -= ev->phase[p].energy_pj * n;
	eval_phase(pb, d, p, s, &ev->phase[p]);
	ev->total.time_ns += ev->phase[p].time_ns * n;
	ev->total.energy_pj += ev->phase[p].energy_pj * n;
}

static void put_edge(const struct problem *pb, const struct design *d, struct evaluation *ev, uint32_t i)
{
	const struct prob_edge *e = &pb->edges[i];

	ev->total.time_ns -= ev->edge[i].time_ns * e->count;
	ev->total.energy_pj -= ev->edge[i].energy_pj * e->count;
	ev->edge[i] = edge_cost(pb, d, e, ev->phase[e->to].draw_mw);
	ev->total.time_ns += ev->edge[i].time_ns * e->count;
	ev->total.energy_pj += ev->edge[i].energy_pj * e->count;
}

void eval_range(const struct problem *pb, const struct design *d, struct scratch *s, struct evaluation *ev,
		uint32_t first, uint32_t last)
{
	for (uint32_t p = first; p <= last; p++)
		put_phase(pb, d, s, ev, p);
	for (uint32_t i = pb->edge_at[first]; ev->priced && i < pb->edge_at[last + 1]; i++)
		put_edge(pb, d, ev, i);
}

void eval_all(const struct problem *pb, const struct design *d, struct scratch *s, struct evaluation *ev)
{
	memset(ev->phase, 0, pb->n_phases * sizeof(*ev->phase));
	memset(ev->edge, 0, pb->n_edges * sizeof(*ev->edge));
	ev->total = (struct cost){0};
	eval_range(pb, d, s, ev, 0, pb->n_phases - 1);
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
