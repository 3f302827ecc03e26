/* SPDX-License-Identifier: MIT */
/*
 * Locks of the model -> locks of a phase.  A phase may be several of the
 * model's; what a thread does under one lock in them is added up.  A lock with
 * one user only holds nobody up and is left out.
 */
#include <stdlib.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "planner/problem/problem.h"

/* What a member does under a lock in one of the model's phases. */
struct part {
	uint32_t lock, member;
	uint64_t cycles, memory_ns;
	bool heavy;
};
struct vec_part VEC(struct part);

static int by_lock(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->lock != y->lock)
		return x->lock < y->lock ? -1 : 1;
	return x->member < y->member ? -1 : x->member > y->member;
}

/* Members by thread; PROB_NONE: not in the phase. */
static uint32_t *index_members(const struct problem *pb, const struct prob_phase *ph)
{
	uint32_t *of = mem_new(pb->model->n_threads + 1, sizeof(*of));

	for (size_t t = 0; t < pb->model->n_threads; t++)
		of[t] = PROB_NONE;
	for (uint32_t i = 0; i < ph->n_members; i++)
		of[ph->members[i].thread] = i;
	return of;
}

/* Heavy ones first, as everywhere; then those who hold it longest, which is how they will be wanted. */
static int by_held(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->heavy != y->heavy)
		return x->heavy ? -1 : 1;
	if (x->cycles != y->cycles)
		return x->cycles > y->cycles ? -1 : 1;
	return x->member < y->member ? -1 : x->member > y->member;
}

static void serial_gather(const struct problem *pb, const struct prob_phase *ph, struct vec_part *parts)
{
	uint32_t *member_of = NULL;

	for (uint32_t p = ph->model_first; p < ph->model_last; p++) {
		const struct model_phase *mp = &pb->model->phases[pb->order[p]];

		for (size_t i = 0; i < mp->n_serial; i++)
			for (size_t k = 0; k < mp->serial[i].n_held; k++) {
				const struct model_held *h = &mp->serial[i].held[k];

				if (!member_of)
					member_of = index_members(pb, ph);
				if (member_of[h->thread] == PROB_NONE || !(h->cycles | h->memory_ns))
					continue;
				vec_push(parts,
					 ((struct part){mp->serial[i].lock, member_of[h->thread], h->cycles,
							h->memory_ns, member_of[h->thread] < ph->n_heavy}));
			}
	}
	free(member_of);
}

static void serial_add_use(const struct problem *pb, struct prob_phase *ph, const struct part *part)
{
	const struct machine *m = pb->machine;
	uint64_t *ns = ph->held_ns + (size_t)ph->n_uses * m->n_steps;

	for (uint32_t f = 0; f < m->n_steps; f++)
		ns[f] = problem_work_ns(part->cycles, part->memory_ns, m->platform->steps[f].khz);
	ph->uses[ph->n_uses++] = (struct prob_use){part->member, part->memory_ns};
}

/* One lock: the parts of each member are put together. */
static void add_lock(struct problem *pb, struct prob_phase *ph, struct part *part, size_t n)
{
	struct prob_lock *l = &ph->locks[ph->n_locks];
	size_t users = 0;

	for (size_t i = 0; i < n; i++)
		if (users && part[users - 1].member == part[i].member) {
			part[users - 1].cycles += part[i].cycles;
			part[users - 1].memory_ns += part[i].memory_ns;
		} else {
			part[users++] = part[i];
		}
	if (users < 2)
		return;
	qsort(part, users, sizeof(*part), by_held);
	*l = (struct prob_lock){part->lock, ph->n_uses, 0};
	for (size_t i = 0; i < users; i++)
		serial_add_use(pb, ph, &part[i]);
	l->last = ph->n_uses;
	ph->n_locks++;
	if (users > pb->max_users)
		pb->max_users = (uint32_t)users;
}

static void add_locks(struct problem *pb, struct prob_phase *ph)
{
	struct vec_part parts = VEC_INIT;

	serial_gather(pb, ph, &parts);
	if (parts.n) {
		qsort(parts.at, parts.n, sizeof(*parts.at), by_lock);
		ph->locks = mem_new(parts.n, sizeof(*ph->locks));
		ph->uses = mem_new(parts.n, sizeof(*ph->uses));
		ph->held_ns = mem_new(parts.n * pb->machine->n_steps, sizeof(*ph->held_ns));
	}
	for (size_t from = 0, to; from < parts.n; from = to) {
		for (to = from + 1; to < parts.n && parts.at[to].lock == parts.at[from].lock; to++)
			;
		add_lock(pb, ph, parts.at + from, to - from);
	}
	if (ph->n_uses > pb->max_uses)
		pb->max_uses = ph->n_uses;
	vec_release(&parts);
}

void problem_locks(struct problem *pb)
{
	for (uint32_t p = 0; p < pb->n_phases; p++)
		add_locks(pb, &pb->phases[p]);
}
