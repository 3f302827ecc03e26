/* SPDX-License-Identifier: MIT */
/* A problem of the joined model -> one with a copy of each phase for each input. */
#include <stdlib.h>

#include "lib/mem.h"
#include "planner/problem/inputs.h"

static uint32_t inputs_of(const struct problem *pb)
{
	return pb->inputs->n;
}

/* What one input has of the work of a phase's member, which is that of several phases of the model. */
static void own_work(const struct problem *pb, const struct prob_phase *ph, uint32_t input,
		     struct prob_member *m)
{
	m->cycles = m->memory_ns = 0;
	for (uint32_t i = ph->model_first; i < ph->model_last; i++) {
		const struct model_phase *mp = &pb->inputs->each[input].phases[pb->order[i]];

		for (size_t k = 0; k < mp->n_work; k++)
			if (mp->work[k].thread == m->thread) {
				m->cycles += mp->work[k].cycles;
				m->memory_ns += mp->work[k].memory_ns;
			}
	}
}

/* The copy of @ph for an input; members as there, weighed by their own work. */
static struct prob_phase copy_phase(const struct problem *pb, const struct prob_phase *ph, uint32_t input)
{
	struct prob_phase out = *ph;

	out.members = mem_new(ph->n_members + 1, sizeof(*out.members));
	out.work_ns = NULL;
	out.conflicts = NULL;
	out.n_conflicts = out.n_heavy_conflicts = 0;
	out.locks = NULL;
	out.uses = NULL;
	out.held_ns = NULL;
	out.n_locks = out.n_uses = 0;
	out.repeats = pb->inputs->each[input].phases[pb->order[ph->model_first]].repeats;
	for (uint32_t i = 0; i < ph->n_members; i++) {
		out.members[i] = ph->members[i];
		own_work(pb, ph, input, &out.members[i]);
	}
	problem_weigh(pb, &out);
	return out;
}

static int heavy_first(const struct prob_member *a, const struct prob_member *b)
{
	return (int)b->heavy - (int)a->heavy;
}

/* Heavy members to the front, the order among equals kept. */
static void sort_heavy(struct problem *pb, struct prob_phase *ph)
{
	ph->n_heavy = 0;
	for (uint32_t i = 0; i < ph->n_members; i++) {
		struct prob_member m = ph->members[i];
		uint32_t at = i;

		for (; at > 0 && heavy_first(&ph->members[at - 1], &m) > 0; at--)
			ph->members[at] = ph->members[at - 1];
		ph->members[at] = m;
		ph->n_heavy += m.heavy;
	}
	free(ph->work_ns);
	problem_fill_work(pb, ph);
}

void inputs_weigh(struct problem *pb)
{
	for (uint32_t p = 0; p < pb->n_phases; p++) {
		struct prob_phase *ph = &pb->phases[p];

		for (uint32_t s = 0; s < inputs_of(pb); s++) {
			struct prob_phase own = copy_phase(pb, ph, s);

			for (uint32_t k = 0; k < own.n_heavy; k++)
				for (uint32_t i = 0; i < ph->n_members; i++)
					ph->members[i].heavy |=
						ph->members[i].thread == own.members[k].thread;
			free(own.members);
		}
		sort_heavy(pb, ph);
	}
}

/* ---- expansion ---- */

/* The conflicts and locks of one input, as if it were alone; conflicts are numbered in the joined model. */
static void own_couplings(struct problem *pb, struct prob_phase *ph, uint32_t input)
{
	struct problem own = *pb;

	own.model = &pb->inputs->each[input];
	own.phases = ph;
	own.n_phases = 1;
	problem_conflicts(&own);
	problem_locks(&own);
	pb->max_conflicts = own.max_conflicts;
	pb->max_users = own.max_users;
	pb->max_uses = own.max_uses;
	pb->unpriced |= own.unpriced;
	for (uint32_t i = 0; i < ph->n_conflicts; i++)
		ph->conflicts[i].model += pb->inputs->first_conflict[input];
}

static void expand_phases(struct problem *pb)
{
	uint32_t n = inputs_of(pb);
	struct prob_phase *phases = mem_new((size_t)pb->n_phases * n + 1, sizeof(*phases));

	for (uint32_t p = 0; p < pb->n_phases; p++) {
		for (uint32_t s = 0; s < n; s++) {
			phases[p * n + s] = copy_phase(pb, &pb->phases[p], s);
			problem_fill_work(pb, &phases[p * n + s]);
			own_couplings(pb, &phases[p * n + s], s);
		}
		free(pb->phases[p].members);
		free(pb->phases[p].work_ns);
		free(pb->phases[p].conflicts);
	}
	free(pb->phases);
	pb->phases = phases;
}

static void expand_home(struct problem *pb)
{
	size_t threads = pb->model->n_threads, n = inputs_of(pb);
	uint32_t *home = mem_new(pb->n_phases * n * threads + 1, sizeof(*home));

	for (size_t p = 0; p < pb->n_phases * n; p++)
		for (size_t t = 0; t < threads; t++)
			home[p * threads + t] = pb->home[p / n * threads + t];
	free(pb->home);
	pb->home = home;
}

/* A passage of one input: the first into a phase happens once, later ones are further turns of its loop. */
static struct prob_edge copy_edge(const struct problem *pb, const struct prob_edge *e, bool again,
				  uint32_t input)
{
	uint32_t n = inputs_of(pb);
	struct prob_edge out = *e;

	out.from = e->from == PROB_NONE ? PROB_NONE : e->from * n + input;
	out.to = e->to * n + input;
	out.count = again ? pb->phases[out.to].repeats - 1 : 1;
	out.arrivals = mem_new(e->n_arrivals + 1, sizeof(*out.arrivals));
	for (uint32_t i = 0; i < e->n_arrivals; i++)
		out.arrivals[i] = e->arrivals[i];
	return out;
}

static void expand_edges(struct problem *pb)
{
	uint32_t n = inputs_of(pb), at = 0;
	struct prob_edge *edges = mem_new((size_t)pb->n_edges * n + 1, sizeof(*edges));
	uint32_t *edge_at = mem_new((size_t)pb->n_phases * n + 1, sizeof(*edge_at));

	for (uint32_t p = 0; p < pb->n_phases; p++)
		for (uint32_t s = 0; s < n; s++) {
			edge_at[p * n + s] = at;
			for (uint32_t i = pb->edge_at[p]; i < pb->edge_at[p + 1]; i++)
				edges[at++] = copy_edge(pb, &pb->edges[i], i > pb->edge_at[p], s);
		}
	edge_at[pb->n_phases * n] = at;
	for (uint32_t i = 0; i < pb->n_edges; i++)
		free(pb->edges[i].arrivals);
	free(pb->edges);
	free(pb->edge_at);
	pb->edges = edges;
	pb->edge_at = edge_at;
	pb->n_edges = at;
}

static void expand_range(uint32_t n, uint32_t *first, uint32_t *last)
{
	*first *= n;
	*last = *last * n + n - 1;
}

void inputs_expand(struct problem *pb)
{
	uint32_t n = inputs_of(pb);

	expand_phases(pb);
	expand_home(pb);
	expand_edges(pb);
	for (uint32_t i = 0; i < pb->n_slots; i++) {
		expand_range(n, &pb->slots[i].first, &pb->slots[i].last);
		expand_range(n, &pb->slots[i].touch_first, &pb->slots[i].touch_last);
	}
	for (uint32_t i = 0; i < pb->n_epochs; i++)
		pb->epochs[i] *= n;
	for (uint32_t i = 0; i < pb->n_blocks; i++)
		expand_range(n, &pb->blocks[i].first, &pb->blocks[i].last);
	pb->n_phases *= n;
}
