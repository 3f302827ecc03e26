/* SPDX-License-Identifier: MIT */
#include "planner/pace.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

/* Mean extra price of an access over all pairs of different units, ps. */
static uint64_t mean_extra(const struct machine *m, const uint64_t extra[DIST_N])
{
	unsigned __int128 sum = 0;
	uint64_t pairs = (uint64_t)m->n_units * (m->n_units - 1);

	for (uint32_t a = 0; a < m->n_units; a++)
		for (uint32_t b = 0; b < m->n_units; b++)
			if (a != b)
				sum += extra[m->distance[(size_t)a * m->n_units + b]];
	return pairs ? (uint64_t)(sum / pairs) : 0;
}

/* What conflicts add to each member's time, by chance. */
static void add_conflicts(const struct problem *pb, const struct prob_phase *ph, uint64_t *time)
{
	uint64_t others = ph->n_heavy > 1 ? ph->n_heavy - 1 : 1, free_units = pb->machine->n_units - 1;

	for (uint32_t i = 0; i < ph->n_heavy_conflicts; i++) {
		const struct prob_conflict *c = &ph->conflicts[i];
		uint64_t least = c->count_a < c->count_b ? c->count_a : c->count_b;
		unsigned __int128 paid = least;

		if (free_units < others)
			paid = paid * free_units / others;
		time[c->a] += (uint64_t)(paid * mean_extra(pb->machine, c->extra_a) / 1000);
		time[c->b] += (uint64_t)(paid * mean_extra(pb->machine, c->extra_b) / 1000);
	}
}

static uint64_t phase_pace(const struct problem *pb, const struct prob_phase *ph, uint64_t *time)
{
	uint64_t sum = 0, longest = 0;

	for (uint32_t i = 0; i < ph->n_members; i++)
		time[i] = ph->work_ns[(size_t)i * pb->machine->n_steps];
	add_conflicts(pb, ph, time);
	for (uint32_t i = 0; i < ph->n_members; i++) {
		sum += time[i];
		longest = time[i] > longest ? time[i] : longest;
	}
	sum /= pb->machine->n_units;
	return sum > longest ? sum : longest;
}

uint64_t pace_ns(const struct problem *pb)
{
	uint64_t *time = mem_new(pb->max_members + 1, sizeof(*time));
	uint64_t total = 0;

	for (uint32_t p = 0; p < pb->n_phases; p++)
		total += phase_pace(pb, &pb->phases[p], time) * pb->phases[p].repeats;
	free(time);
	return total;
}
