/* SPDX-License-Identifier: MIT */
/*
 * Where threads can be moved and frequencies changed: seats, eras, blocks,
 * and the passages between phases.
 *
 * Consecutive phases with the same number of repeats are taken for the body
 * of a loop (their changes are paid on every turn) unless the visits of a
 * call site show that one phase is over before the next begins.
 */
#include <stdlib.h>

#include "lib/mem.h"
#include "planner/problem.h"

struct loop {
	uint32_t first, last;
};

static const struct model_work *entry_of(const struct problem *pb, const struct prob_member *m)
{
	return m->enter_phase == PROB_NONE ? NULL : &pb->model->phases[m->enter_phase].work[m->enter_work];
}

static const struct prob_member *member_of(const struct prob_phase *ph, uint32_t thread)
{
	for (uint32_t i = 0; i < ph->n_members; i++)
		if (ph->members[i].thread == thread)
			return &ph->members[i];
	return NULL;
}

/* Is phase @a over, with all its repeats, before @b begins? */
static bool in_sequence(const struct problem *pb, const struct prob_phase *a, const struct prob_phase *b)
{
	for (uint32_t i = 0; i < b->n_members; i++) {
		const struct model_work *y = entry_of(pb, &b->members[i]);
		const struct prob_member *m = member_of(a, b->members[i].thread);
		const struct model_work *x = m ? entry_of(pb, m) : NULL;
		uint64_t last;

		if (!x || !y || x->enter_site != y->enter_site)
			continue;
		last = x->enter_visit + (a->repeats - 1) * (x->enter_every ? x->enter_every : 1);
		if (y->enter_visit > last)
			return true;
	}
	return false;
}

/* The loop that phase @p begins, or the phase alone. */
static struct loop loop_at(const struct problem *pb, uint32_t p)
{
	struct loop l = {p, p};

	while (pb->phases[p].repeats > 1 && l.last + 1 < pb->n_phases &&
	       pb->phases[l.last + 1].repeats == pb->phases[p].repeats &&
	       !in_sequence(pb, &pb->phases[l.last], &pb->phases[l.last + 1]))
		l.last++;
	return l;
}

/* ---- seats ---- */

static bool ever_heavy(const struct problem *pb, uint32_t thread)
{
	for (uint32_t p = 0; p < pb->n_phases; p++)
		for (uint32_t i = 0; i < pb->phases[p].n_heavy; i++)
			if (pb->phases[p].members[i].thread == thread)
				return true;
	return false;
}

static enum seat_kind first_kind(const struct problem *pb, uint32_t thread)
{
	const struct model_thread *t = &pb->model->threads[thread];

	if (thread == 0)
		return SEAT_PROGRAM;
	if (!t->plannable)
		return SEAT_FIXED;
	if (!ever_heavy(pb, thread) && t->creator < thread)
		return SEAT_FOLLOW;
	return SEAT_START;
}

static uint32_t add_seat(struct problem *pb, uint32_t thread, enum seat_kind kind, uint32_t phase)
{
	pb->seats = mem_resize(pb->seats, pb->n_seats + 1, sizeof(*pb->seats));
	pb->seats[pb->n_seats] = (struct prob_seat){.thread = thread,
						    .kind = kind,
						    .first = phase,
						    .last = phase,
						    .enter_phase = PROB_NONE,
						    .enter_work = PROB_NONE,
						    .follow = PROB_NONE};
	return pb->n_seats++;
}

/*
 * May the thread be moved when it enters @p?  Inside a loop only if it can be
 * moved back where it is first seen in the loop, or the next turn would find
 * it elsewhere.
 */
static bool can_move(const struct problem *pb, uint32_t thread, uint32_t p, struct loop l)
{
	const struct prob_member *m = member_of(&pb->phases[p], thread);

	if (!m->heavy || m->enter_phase == PROB_NONE || !pb->model->threads[thread].plannable)
		return false;
	for (uint32_t q = l.first; q < p; q++) {
		const struct prob_member *before = member_of(&pb->phases[q], thread);

		if (before)
			return before->heavy && before->enter_phase != PROB_NONE;
	}
	return true;
}

static void seat_in_phase(struct problem *pb, uint32_t thread, uint32_t p, struct loop l, uint32_t *cur)
{
	struct prob_member *m = (struct prob_member *)(uintptr_t)member_of(&pb->phases[p], thread);

	if (!m)
		return;
	if (*cur == PROB_NONE) {
		*cur = add_seat(pb, thread, first_kind(pb, thread), p);
	} else if (pb->seats[*cur].kind != SEAT_FIXED && pb->seats[*cur].kind != SEAT_FOLLOW &&
		   can_move(pb, thread, p, l)) {
		*cur = add_seat(pb, thread, SEAT_SITE, p);
		pb->seats[*cur].enter_phase = m->enter_phase;
		pb->seats[*cur].enter_work = m->enter_work;
	}
	m->seat = *cur;
	pb->seats[*cur].last = p;
	pb->seats[*cur].heavy |= m->heavy;
	pb->home[(size_t)p * pb->model->n_threads + thread] = *cur;
}

/* The creator's seat when the thread appears: its latest one that began by then. */
static uint32_t creator_seat(const struct problem *pb, const struct prob_seat *s)
{
	uint32_t creator = pb->model->threads[s->thread].creator, found = PROB_NONE;

	for (uint32_t i = 0; i < pb->n_seats; i++)
		if (pb->seats[i].thread == creator && (found == PROB_NONE || pb->seats[i].first <= s->first))
			found = i;
	return found;
}

static void resolve_follow(struct problem *pb)
{
	for (uint32_t i = 0; i < pb->n_seats; i++) {
		struct prob_seat *s = &pb->seats[i];

		if (s->kind != SEAT_FOLLOW)
			continue;
		s->follow = creator_seat(pb, s);
		if (s->follow == PROB_NONE)
			s->kind = SEAT_START;
		else if (pb->seats[s->follow].kind == SEAT_FOLLOW)
			s->follow = pb->seats[s->follow].follow;
	}
}

/* ---- eras ---- */

static bool steppable(const struct problem *pb, uint32_t p)
{
	const struct prob_phase *ph = &pb->phases[p];

	for (uint32_t i = 0; i < ph->n_members; i++) {
		const struct prob_member *m = &ph->members[i];

		if (m->enter_phase != PROB_NONE || (m->starts && pb->model->threads[m->thread].plannable))
			return true;
	}
	return p == 0;
}

static void make_eras(struct problem *pb)
{
	pb->eras = mem_new(pb->n_phases, sizeof(*pb->eras));
	for (uint32_t p = 0; p < pb->n_phases;) {
		struct loop l = loop_at(pb, p);
		bool opens = steppable(pb, l.first);

		for (; p <= l.last; p++) {
			if (opens && steppable(pb, p))
				pb->eras[pb->n_eras++] = p;
			pb->phases[p].era = pb->n_eras - 1;
		}
	}
}

/* ---- blocks ---- */

static uint64_t seat_work(const struct problem *pb, uint32_t seat)
{
	uint64_t sum = 0;

	for (uint32_t p = pb->seats[seat].first; p <= pb->seats[seat].last; p++)
		for (uint32_t i = 0; i < pb->phases[p].n_heavy; i++)
			if (pb->phases[p].members[i].seat == seat)
				sum += pb->phases[p].work_ns[(size_t)i * pb->machine->n_steps] *
				       pb->phases[p].repeats;
	return sum;
}

static bool heavy_in(const struct problem *pb, uint32_t seat, uint32_t from, uint32_t to)
{
	for (uint32_t p = from; p <= to; p++)
		for (uint32_t i = 0; i < pb->phases[p].n_heavy; i++)
			if (pb->phases[p].members[i].seat == seat)
				return true;
	return false;
}

/* Does a free seat matter both before and from phase @p on? */
static bool tied(const struct problem *pb, uint32_t p)
{
	for (uint32_t i = 0; i < pb->n_seats; i++) {
		const struct prob_seat *s = &pb->seats[i];

		if (s->kind != SEAT_FIXED && s->heavy && s->first < p && s->last >= p &&
		    heavy_in(pb, i, s->first, p - 1) && heavy_in(pb, i, p, s->last))
			return true;
	}
	return false;
}

static void collect_seats(struct problem *pb, struct prob_block *b)
{
	b->seats = mem_new(pb->n_seats, sizeof(*b->seats));
	for (uint32_t i = 0; i < pb->n_seats; i++) {
		const struct prob_seat *s = &pb->seats[i];
		uint32_t from = s->first > b->first ? s->first : b->first,
			 to = s->last < b->last ? s->last : b->last;
		uint32_t at;

		if (s->kind == SEAT_FIXED || s->kind == SEAT_FOLLOW || from > to ||
		    !heavy_in(pb, i, from, to))
			continue;
		for (at = b->n_seats++; at > 0 && seat_work(pb, b->seats[at - 1]) < seat_work(pb, i); at--)
			b->seats[at] = b->seats[at - 1];
		b->seats[at] = i;
	}
}

static void make_blocks(struct problem *pb)
{
	pb->blocks = mem_new(pb->n_phases, sizeof(*pb->blocks));
	for (uint32_t p = 0; p < pb->n_phases; p++) {
		if (p == 0 || !tied(pb, p))
			pb->blocks[pb->n_blocks++].first = p;
		pb->blocks[pb->n_blocks - 1].last = p;
		pb->phases[p].block = pb->n_blocks - 1;
	}
	for (uint32_t b = 0; b < pb->n_blocks; b++)
		collect_seats(pb, &pb->blocks[b]);
}

void problem_seats(struct problem *pb)
{
	size_t threads = pb->model->n_threads;
	uint32_t *cur = mem_new(threads + 1, sizeof(*cur));

	pb->home = mem_new(threads * pb->n_phases + 1, sizeof(*pb->home));
	for (size_t i = 0; i < threads * pb->n_phases; i++)
		pb->home[i] = PROB_NONE;
	for (uint32_t t = 0; t < threads; t++)
		cur[t] = PROB_NONE;
	for (uint32_t p = 0; p < pb->n_phases;) {
		struct loop l = loop_at(pb, p);

		for (; p <= l.last; p++)
			for (uint32_t t = 0; t < threads; t++)
				seat_in_phase(pb, t, p, l, &cur[t]);
	}
	free(cur);
	resolve_follow(pb);
	make_eras(pb);
	make_blocks(pb);
}

/* ---- edges ---- */

static void add_edge(struct problem *pb, uint32_t from, uint32_t to, uint64_t times, uint32_t *cur)
{
	uint32_t n = (uint32_t)pb->model->n_threads;
	struct prob_edge *e;

	pb->edges = mem_resize(pb->edges, pb->n_edges + 1, sizeof(*pb->edges));
	e = &pb->edges[pb->n_edges++];
	*e = (struct prob_edge){from, to, times, mem_new(n + 1, sizeof(*e->arrivals)), 0};
	for (uint32_t t = 0; t < n; t++) {
		uint32_t seat = pb->home[(size_t)to * n + t];

		if (seat == PROB_NONE || seat == cur[t])
			continue;
		e->arrivals[e->n_arrivals++] = (struct prob_arrival){seat, cur[t]};
		cur[t] = seat;
	}
}

/* Group the passages by the phase they lead to, in the order they were made. */
static void sort_edges(struct problem *pb)
{
	struct prob_edge *sorted = mem_new(pb->n_edges + 1, sizeof(*sorted));
	uint32_t n = 0;

	pb->edge_at = mem_new(pb->n_phases + 1, sizeof(*pb->edge_at));
	for (uint32_t p = 0; p < pb->n_phases; p++) {
		pb->edge_at[p] = n;
		for (uint32_t i = 0; i < pb->n_edges; i++)
			if (pb->edges[i].to == p)
				sorted[n++] = pb->edges[i];
	}
	pb->edge_at[pb->n_phases] = n;
	free(pb->edges);
	pb->edges = sorted;
}

static void touch(struct prob_seat *s, uint32_t first, uint32_t last)
{
	s->touch_first = first < s->touch_first ? first : s->touch_first;
	s->touch_last = last > s->touch_last ? last : s->touch_last;
}

static void find_touched(struct problem *pb)
{
	for (uint32_t i = 0; i < pb->n_seats; i++) {
		pb->seats[i].touch_first = pb->seats[i].first;
		pb->seats[i].touch_last = pb->seats[i].last;
	}
	for (uint32_t i = 0; i < pb->n_seats; i++)
		if (pb->seats[i].follow != PROB_NONE)
			touch(&pb->seats[pb->seats[i].follow], pb->seats[i].first, pb->seats[i].last);
	for (uint32_t e = 0; e < pb->n_edges; e++)
		for (uint32_t i = 0; i < pb->edges[e].n_arrivals; i++) {
			const struct prob_arrival *a = &pb->edges[e].arrivals[i];

			touch(&pb->seats[a->seat], pb->edges[e].to, pb->edges[e].to);
			if (a->before != PROB_NONE)
				touch(&pb->seats[a->before], pb->edges[e].to, pb->edges[e].to);
		}
}

void problem_edges(struct problem *pb)
{
	uint32_t n = (uint32_t)pb->model->n_threads, before = PROB_NONE;
	uint32_t *cur = mem_new(n + 1, sizeof(*cur));

	for (uint32_t t = 0; t < n; t++)
		cur[t] = PROB_NONE;
	for (uint32_t p = 0; p < pb->n_phases; p++) {
		struct loop l = loop_at(pb, p);

		for (uint32_t q = l.first; q <= l.last; q++) {
			add_edge(pb, before, q, 1, cur);
			before = q;
		}
		/* The later turns, which begin where the first one ended. */
		for (uint32_t q = l.first; q <= l.last && l.last > l.first; q++) {
			add_edge(pb, before, q, pb->phases[p].repeats - 1, cur);
			before = q;
		}
		p = l.last;
	}
	free(cur);
	sort_edges(pb);
	find_touched(pb);
}
