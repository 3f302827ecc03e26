/* SPDX-License-Identifier: MIT */
/* What all parts of a problem ask of the model: how long work takes, and where a plan may act. */
#include <string.h>

#include "planner/problem/problem.h"

uint64_t problem_work_ns(uint64_t cycles, uint64_t memory_ns, uint32_t khz)
{
	unsigned __int128 scaled = ((unsigned __int128)cycles * 1000000 + khz - 1) / khz;

	return scaled > UINT64_MAX / 4 ? UINT64_MAX / 4 : (uint64_t)scaled + memory_ns;
}

bool problem_opened_by_call(const struct model_phase *ph)
{
	return ph->opened_by && !strcmp(ph->opened_by, "call");
}

bool problem_may_enter(const struct problem *pb, const struct prob_member *m)
{
	if (m->enter_phase == PROB_NONE || pb->kind == PLAN_KIND_START)
		return false;
	return pb->kind == PLAN_KIND_CALL || !problem_opened_by_call(&pb->model->phases[m->enter_phase]);
}

const struct model_work *problem_entry(const struct problem *pb, const struct prob_slot *slot)
{
	if (slot->kind != SLOT_SITE)
		return NULL;
	return &pb->model->phases[slot->enter_phase].work[slot->enter_work];
}
