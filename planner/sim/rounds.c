/* SPDX-License-Identifier: MIT */
#include "planner/sim/rounds.h"

#include <stdlib.h>

#include "lib/mem.h"

/* Rounds of a member in a phase: enough that it does not matter who is first; fewer if all would be too many. */
#define ROUNDS_MOST  64u
#define ROUNDS_LEAST 8u
#define ROUNDS_ALL   (1u << 18)

/* What a member does in a phase, ns. */
struct need {
	uint64_t work;
	uint64_t *held; /* by lock of the phase */
	uint32_t n_locks;
	uint64_t sum; /* of held */
};

static void put_work(struct strbuf *sb, uint64_t ns)
{
	if (ns)
		blocks_put_number(sb, ns << 2 | BLOCK_WORK);
}

static void put_lock(struct strbuf *sb, uint32_t lock, bool give_back)
{
	blocks_put_number(sb, ((uint64_t)lock << 1 | give_back) << 2 | BLOCK_LOCK);
}

/* The part of @ns that belongs to round @i of @n: all rounds together are all of it. */
static uint64_t part(uint64_t ns, uint32_t i, uint32_t n)
{
	return ns / n + (i < ns % n);
}

/* @think ns of other work before the holds of round @i of @n, dealt out between them. */
static void put_round(struct strbuf *sb, const struct need *need, uint64_t think, uint32_t i, uint32_t n)
{
	uint32_t left = 0;

	for (uint32_t k = 0; k < need->n_locks; k++)
		left += need->held[k] != 0;
	for (uint32_t k = 0; k < need->n_locks; k++) {
		uint64_t ns = part(need->held[k], i, n);

		if (!need->held[k])
			continue;
		put_work(sb, think / left);
		think -= think / left--;
		if (!ns)
			continue;
		put_lock(sb, k, false);
		put_work(sb, ns);
		put_lock(sb, k, true);
	}
}

/*
 * Locks that are held inside each other add up to more than there is.  The one
 * held longest is the outermost and keeps its time; the others share what is
 * left, as if the rest of their time were inside it.
 */
static void nest(struct need *need)
{
	uint32_t most = 0;
	uint64_t inner, room;

	for (uint32_t k = 1; k < need->n_locks; k++)
		most = need->held[k] > need->held[most] ? k : most;
	inner = need->sum - need->held[most];
	need->held[most] = need->held[most] < need->work ? need->held[most] : need->work;
	room = need->work - need->held[most];
	need->sum = need->held[most];
	for (uint32_t k = 0; k < need->n_locks; k++) {
		if (k == most)
			continue;
		need->held[k] = inner ? (uint64_t)((unsigned __int128)need->held[k] * room / inner) : 0;
		need->sum += need->held[k];
	}
}

static void put_member(struct strbuf *sb, struct need *need, uint32_t n)
{
	if (need->sum > need->work)
		nest(need);
	for (uint32_t i = 0; i < n; i++)
		put_round(sb, need, part(need->work - need->sum, i, n), i, n);
}

static uint8_t step_of(const struct problem *pb, const struct design *d, uint32_t phase, uint32_t member)
{
	uint32_t unit = design_unit_in(pb, d, phase, pb->phases[phase].members[member].slot);

	return design_steps(pb, d, phase)[pb->machine->units[unit].domain];
}

/* Times under each lock, by member and lock. */
static uint64_t *find_held(const struct problem *pb, const struct design *d, uint32_t phase)
{
	const struct prob_phase *ph = &pb->phases[phase];
	uint64_t *held = mem_new((size_t)ph->n_members * ph->n_locks, sizeof(*held));

	for (uint32_t k = 0; k < ph->n_locks; k++)
		for (uint32_t use = ph->locks[k].first; use < ph->locks[k].last; use++) {
			uint32_t i = ph->uses[use].member;

			held[(size_t)i * ph->n_locks + k] =
				ph->held_ns[(size_t)use * pb->machine->n_steps + step_of(pb, d, phase, i)];
		}
	return held;
}

static uint32_t rounds_of(const struct problem *pb)
{
	uint64_t uses = 0, n;

	for (uint32_t p = 0; p < pb->n_phases; p++)
		uses += pb->phases[p].n_uses;
	n = uses ? ROUNDS_ALL / uses : ROUNDS_MOST;
	n = n < ROUNDS_MOST ? n : ROUNDS_MOST;
	return n > ROUNDS_LEAST ? (uint32_t)n : ROUNDS_LEAST;
}

static void put_phase(struct rounds *r, const struct problem *pb, const struct design *d, uint32_t phase,
		      uint32_t n, size_t first, uint64_t *weight)
{
	const struct prob_phase *ph = &pb->phases[phase];
	uint64_t *held = ph->n_locks ? find_held(pb, d, phase) : NULL;

	for (uint32_t i = 0; i < ph->n_members; i++) {
		const uint64_t *work = &ph->work_ns[(size_t)i * pb->machine->n_steps];
		struct need need = {.n_locks = ph->n_locks};

		r->at[first + i] = r->bytes.len;
		if (!held)
			continue;
		need.held = held + (size_t)i * ph->n_locks;
		for (uint32_t k = 0; k < ph->n_locks; k++)
			need.sum += need.held[k];
		if (!need.sum)
			continue;
		need.work = weight[first + i] = work[step_of(pb, d, phase, i)];
		put_member(&r->bytes, &need, n);
	}
	free(held);
}

void rounds_make(struct rounds *r, const struct problem *pb, const struct design *d, uint64_t *weight)
{
	uint32_t n = rounds_of(pb);
	size_t members = 0;

	*r = (struct rounds){.bytes = STRBUF_INIT};
	for (uint32_t p = 0; p < pb->n_phases; p++) {
		members += pb->phases[p].n_members;
		if (pb->phases[p].n_locks > r->n_objects)
			r->n_objects = pb->phases[p].n_locks;
	}
	r->at = mem_new(members + 1, sizeof(*r->at));
	members = 0;
	for (uint32_t p = 0; p < pb->n_phases; p++) {
		put_phase(r, pb, d, p, n, members, weight);
		members += pb->phases[p].n_members;
	}
	r->at[members] = r->bytes.len;
}

void rounds_release(struct rounds *r)
{
	strbuf_release(&r->bytes);
	free(r->at);
	*r = (struct rounds){0};
}

struct block_cursor rounds_body(const struct rounds *r, size_t member)
{
	const uint8_t *bytes = (const uint8_t *)r->bytes.s;

	if (r->at[member] == r->at[member + 1])
		return (struct block_cursor){0};
	return (struct block_cursor){bytes + r->at[member], bytes + r->at[member + 1]};
}
