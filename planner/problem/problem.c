/* SPDX-License-Identifier: MIT */
#include "planner/problem/problem.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/mem.h"
#include "planner/problem/inputs.h"

/* Sums of time x power stay below this: a quarter of what 64 bits hold. */
#define MAX_PJ ((unsigned __int128)UINT64_MAX / 4)

/* An upper bound of one occurrence's time: everything in turn, every conflict paid. */
static unsigned __int128 worst_ns(const struct problem *pb, const struct prob_phase *ph)
{
	unsigned __int128 sum = 0;
	uint32_t slowest = pb->machine->n_steps - 1;

	for (uint32_t i = 0; i < ph->n_members; i++)
		sum += ph->work_ns[(size_t)i * pb->machine->n_steps + slowest];
	for (uint32_t i = 0; i < ph->n_conflicts; i++) {
		const struct prob_conflict *c = &ph->conflicts[i];

		for (int d = 0; d < DIST_N; d++) {
			sum += (unsigned __int128)c->count_a * c->extra_a[d] / 1000;
			sum += (unsigned __int128)c->count_b * c->extra_b[d] / 1000;
		}
	}
	return sum;
}

static int check_range(const struct problem *pb, struct err *err)
{
	/* Some input may count for all, so often. */
	uint64_t weight = pb->inputs ? (uint64_t)INPUTS_WEIGHT * pb->inputs->n : 1;
	uint64_t mw = (pb->machine->full_mw ? pb->machine->full_mw : 1) * weight;
	unsigned __int128 sum = 0;
	uint64_t work = 0;

	for (uint32_t i = 0; i < pb->n_phases; i++) {
		sum += worst_ns(pb, &pb->phases[i]) * pb->phases[i].repeats;
		work += pb->phases[i].n_heavy;
		if (sum > MAX_PJ / mw)
			return err_set(
				err, -ERANGE,
				"the run is too long to be planned: its work in turn at the slowest step "
				"takes more than %.3g s\n  record a shorter run",
				(double)(UINT64_MAX / 4 / mw) * 1e-9);
	}
	if (!work)
		return err_set(err, -EINVAL,
			       "the model has no work in any phase\n"
			       "  record a run that lasts longer, and analyze again");
	return 0;
}

int problem_init(struct problem *pb, const struct model *model, const struct machine *machine,
		 struct err *err)
{
	return problem_init_kind(pb, model, NULL, machine, PLAN_KIND_CALL, err);
}

static void index_leaving(struct problem *pb)
{
	pb->leave = mem_new(pb->n_edges + 1, sizeof(*pb->leave));
	pb->leave_at = mem_new(pb->n_phases + 2, sizeof(*pb->leave_at));
	for (uint32_t i = 0; i < pb->n_edges; i++)
		if (pb->edges[i].from != PROB_NONE)
			pb->leave_at[pb->edges[i].from + 2]++;
	for (uint32_t p = 2; p < pb->n_phases + 2; p++)
		pb->leave_at[p] += pb->leave_at[p - 1];
	for (uint32_t i = 0; i < pb->n_edges; i++)
		if (pb->edges[i].from != PROB_NONE)
			pb->leave[pb->leave_at[pb->edges[i].from + 1]++] = i;
}

static void add_couplings(struct problem *pb)
{
	problem_conflicts(pb);
	problem_locks(pb);
}

static int make_problem(struct problem *pb, struct err *err)
{
	int ret = problem_phases(pb, err);

	if (ret || !pb->n_phases)
		return ret ? ret : check_range(pb, err);
	if (pb->inputs)
		inputs_weigh(pb);
	else
		add_couplings(pb);
	problem_slots(pb);
	problem_edges(pb);
	if (pb->inputs)
		inputs_expand(pb);
	index_leaving(pb);
	return check_range(pb, err);
}

int problem_init_kind(struct problem *pb, const struct model *model, const struct inputs *inputs,
		      const struct machine *machine, enum plan_kind kind, struct err *err)
{
	int ret;

	*pb = (struct problem){.model = model, .inputs = inputs, .machine = machine, .kind = kind};
	ret = make_problem(pb, err);
	if (ret)
		problem_release(pb);
	return ret;
}

void problem_release(struct problem *pb)
{
	for (uint32_t i = 0; i < pb->n_phases; i++) {
		free(pb->phases[i].members);
		free(pb->phases[i].work_ns);
		free(pb->phases[i].conflicts);
		free(pb->phases[i].locks);
		free(pb->phases[i].uses);
		free(pb->phases[i].held_ns);
	}
	for (uint32_t i = 0; i < pb->n_edges; i++)
		free(pb->edges[i].arrivals);
	for (uint32_t i = 0; i < pb->n_blocks; i++)
		free(pb->blocks[i].slots);
	free(pb->phases);
	free(pb->order);
	free(pb->slots);
	free(pb->home);
	free(pb->epochs);
	free(pb->edges);
	free(pb->edge_at);
	free(pb->leave);
	free(pb->leave_at);
	free(pb->blocks);
	*pb = (struct problem){0};
}

struct model_work *problem_work_of(const struct model_phase *ph, uint32_t thread)
{
	for (size_t i = 0; i < ph->n_work; i++)
		if (ph->work[i].thread == thread)
			return &ph->work[i];
	return NULL;
}
