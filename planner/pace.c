/* SPDX-License-Identifier: MIT */
#include "planner/pace.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

static uint64_t phase_pace(const struct problem *pb, const struct prob_phase *ph, uint64_t *work,
			   uint64_t *extra)
{
	uint64_t sum = 0, longest = 0;

	memset(extra, 0, ph->n_members * sizeof(*extra));
	for (uint32_t i = 0; i < ph->n_members; i++)
		work[i] = ph->work_ns[(size_t)i * pb->machine->n_steps];
	for (uint32_t i = 0; i < ph->n_heavy_conflicts; i++)
		phase_by_chance(pb, ph, &ph->conflicts[i], work, 1000, extra);
	for (uint32_t i = 0; i < ph->n_members; i++) {
		sum += work[i] + extra[i];
		longest = work[i] + extra[i] > longest ? work[i] + extra[i] : longest;
	}
	sum /= pb->machine->n_units;
	return sum > longest ? sum : longest;
}

uint64_t pace_ns(const struct problem *pb)
{
	uint64_t *work = mem_new(pb->max_members + 1, sizeof(*work));
	uint64_t *extra = mem_new(pb->max_members + 1, sizeof(*extra));
	uint64_t total = 0;

	for (uint32_t p = 0; p < pb->n_phases; p++)
		total += phase_pace(pb, &pb->phases[p], work, extra) * pb->phases[p].repeats;
	free(work);
	free(extra);
	return total;
}
