/* SPDX-License-Identifier: MIT */
#include "planner/cost/locks.h"

/* The users of @l that count, those who hold it longest first; ties in any order have one F. */
static uint32_t locks_gather(const struct machine *m, const struct prob_phase *ph, const struct prob_lock *l,
			     uint32_t n, const uint16_t *unit, const uint8_t *step, uint32_t f,
			     struct lock_turn *room)
{
	uint32_t k = 0;

	for (uint32_t i = l->first; i < l->last && ph->uses[i].member < n; i++) {
		uint16_t u = unit[ph->uses[i].member];
		uint64_t ns = ph->held_ns[(size_t)i * m->n_steps + (step ? step[m->units[u].domain] : f)];
		uint32_t at = k++;

		for (; at > 0 && room[at - 1].held_ns < ns; at--)
			room[at] = room[at - 1];
		room[at] = (struct lock_turn){ns, u};
	}
	return k;
}

static void raise(const struct machine *m, const struct prob_phase *ph, uint32_t n, const uint16_t *unit,
		  const uint8_t *step, uint32_t f, struct lock_turn *room, uint64_t *until)
{
	for (uint32_t k = 0; k < ph->n_locks; k++) {
		uint32_t users = locks_gather(m, ph, &ph->locks[k], n, unit, step, f, room);
		uint64_t shorter = 0;

		for (uint32_t i = users; i-- > 0;) {
			uint64_t through = shorter + room[i].held_ns * (i + 1);

			if (through > until[room[i].unit])
				until[room[i].unit] = through;
			shorter += room[i].held_ns;
		}
	}
}

void locks_raise(const struct machine *m, const struct prob_phase *ph, uint32_t n, const uint16_t *unit,
		 const uint8_t *step, struct lock_turn *room, uint64_t *until)
{
	raise(m, ph, n, unit, step, 0, room, until);
}

void locks_raise_all(const struct machine *m, const struct prob_phase *ph, uint32_t n, const uint16_t *unit,
		     uint32_t f, struct lock_turn *room, uint64_t *until)
{
	raise(m, ph, n, unit, NULL, f, room, until);
}

uint64_t locks_awake(const struct machine *m, uint32_t k, const uint64_t *load, const uint64_t *until,
		     uint64_t *last)
{
	uint64_t sum = 0;

	*last = 0;
	for (uint32_t u = m->packages[k].first; u < m->packages[k].last; u++) {
		sum += load[u];
		*last = until[u] > *last ? until[u] : *last;
	}
	return sum < *last ? sum : *last;
}

/* The lock that the first @n members hold longest, at the top step. */
static uint64_t cost_locks_longest(const struct machine *m, const struct prob_phase *ph, uint32_t n)
{
	uint64_t most = 0;

	for (uint32_t k = 0; k < ph->n_locks; k++) {
		uint64_t sum = 0;

		for (uint32_t i = ph->locks[k].first; i < ph->locks[k].last && ph->uses[i].member < n; i++)
			sum += ph->held_ns[(size_t)i * m->n_steps];
		most = sum > most ? sum : most;
	}
	return most;
}

uint64_t locks_least(const struct machine *m, const struct prob_phase *ph)
{
	return cost_locks_longest(m, ph, ph->n_heavy);
}

uint64_t locks_longest(const struct machine *m, const struct prob_phase *ph)
{
	return cost_locks_longest(m, ph, ph->n_members);
}

static bool same_uses(const struct machine *m, const struct prob_phase *a, const struct prob_lock *x,
		      const struct prob_phase *b, const struct prob_lock *y)
{
	uint32_t i = x->first, k = y->first;

	for (; i < x->last && a->uses[i].member < a->n_heavy; i++, k++) {
		if (k == y->last || a->uses[i].member != b->uses[k].member)
			return false;
		for (uint32_t f = 0; f < m->n_steps; f++)
			if (a->held_ns[(size_t)i * m->n_steps + f] != b->held_ns[(size_t)k * m->n_steps + f])
				return false;
	}
	return k == y->last || b->uses[k].member >= b->n_heavy;
}

bool locks_same(const struct machine *m, const struct prob_phase *a, const struct prob_phase *b)
{
	if (a->n_locks != b->n_locks)
		return false;
	for (uint32_t k = 0; k < a->n_locks; k++)
		if (!same_uses(m, a, &a->locks[k], b, &b->locks[k]))
			return false;
	return true;
}
