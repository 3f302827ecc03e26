/* SPDX-License-Identifier: MIT */
#include "planner/cost/pace.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/cost/locks.h"
#include "planner/cost/meet.h"

static void work_alone(const struct problem *pb, const struct prob_phase *ph, uint64_t *work)
{
	for (uint32_t i = 0; i < ph->n_members; i++)
		work[i] = ph->work_ns[(size_t)i * pb->machine->n_steps];
}

static uint64_t phase_pace(const struct problem *pb, const struct prob_phase *ph, struct meet_share *shares,
			   uint64_t *work, uint64_t *extra)
{
	uint64_t sum = 0, longest = 0;

	memset(extra, 0, ph->n_members * sizeof(*extra));
	work_alone(pb, ph, work);
	meet_shares_by_chance(pb, ph, ph->n_heavy_conflicts, shares);
	for (uint32_t i = 0; i < ph->n_heavy_conflicts; i++)
		meet_by_chance(pb, ph, &ph->conflicts[i], shares, work, extra);
	for (uint32_t i = 0; i < ph->n_members; i++) {
		sum += work[i] + extra[i];
		longest = work[i] + extra[i] > longest ? work[i] + extra[i] : longest;
	}
	sum /= pb->machine->n_units;
	longest = locks_longest(pb->machine, ph) > longest ? locks_longest(pb->machine, ph) : longest;
	return sum > longest ? sum : longest;
}

uint64_t pace_ns(const struct problem *pb)
{
	struct meet_share *shares = mem_new(pb->max_members + 1, sizeof(*shares));
	uint64_t *work = mem_new(pb->max_members + 1, sizeof(*work));
	uint64_t *extra = mem_new(pb->max_members + 1, sizeof(*extra));
	uint64_t total = 0;

	for (uint32_t p = 0; p < pb->n_phases; p++)
		total += phase_pace(pb, &pb->phases[p], shares, work, extra) * pb->phases[p].repeats;
	free(shares);
	free(work);
	free(extra);
	return total;
}

static bool keeps_apart(const struct problem *pb, const struct design *d, const struct prob_phase *ph,
			const struct prob_conflict *c)
{
	uint32_t a = design_unit(pb, d, ph->members[c->a].slot),
		 b = design_unit(pb, d, ph->members[c->b].slot);
	uint8_t distance = pb->machine->distance[(size_t)a * pb->machine->n_units + b];

	return a == b || !(c->extra_a[distance] | c->extra_b[distance]);
}

double contention_left(const struct problem *pb, const struct design *d)
{
	uint64_t *work = mem_new(pb->max_members + 1, sizeof(*work));
	uint64_t *extra = mem_new(pb->max_members + 1, sizeof(*extra));
	double all = 0, left = 0;

	for (uint32_t p = 0; p < pb->n_phases; p++) {
		const struct prob_phase *ph = &pb->phases[p];

		work_alone(pb, ph, work);
		for (uint32_t i = 0; i < ph->n_conflicts; i++) {
			const struct prob_conflict *c = &ph->conflicts[i];
			double ns;

			extra[c->a] = extra[c->b] = 0;
			meet_by_chance(pb, ph, c, NULL, work, extra);
			ns = ((double)extra[c->a] + (double)extra[c->b]) * ph->repeats;
			all += ns;
			left += keeps_apart(pb, d, ph, c) ? 0 : ns;
		}
	}
	free(work);
	free(extra);
	return all > 0 ? left / all : 1;
}
