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
#include "planner/problem/problem.h"

struct loop {
	uint32_t first, last;
};

static const struct model_work *entry_of(const struct problem *pb, const struct prob_member *m)
{
	return m->enter_phase == PROB_NONE ? NULL : &pb->model->phases[m->enter_phase].work[m->enter_work];
}

/* Is phase @a over, with all its repeats, before @b begins? */
static bool in_sequence(const struct problem *pb, const struct prob_phase *a, const struct prob_phase *b)
{
	for (uint32_t i = 0; i < b->n_members; i++) {
		const struct model_work *y = entry_of(pb, &b->members[i]);
		const struct prob_member *m = prob_member_of(a, b->members[i].thread);
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

struct visit {
	uint32_t place; /* of the phase in the order of the run */
	const struct model_work *work;
};

/* Where one thread enters phases of the model, in the order of the run. */
struct visits {
	struct visit *at;
	uint32_t n;
};

static struct visits *list_visits(const struct problem *pb)
{
	struct visits *v = mem_new(pb->model->n_threads + 1, sizeof(*v));

	for (uint32_t i = 0; i < pb->model->n_phases; i++) {
		const struct model_phase *ph = &pb->model->phases[pb->order[i]];

		for (size_t k = 0; k < ph->n_work; k++) {
			struct visits *of = &v[ph->work[k].thread];

			if (ph->work[k].enter_site == MODEL_NONE)
				continue;
			of->at = mem_resize(of->at, of->n + 1, sizeof(*of->at));
			of->at[of->n++] = (struct visit){i, &ph->work[k]};
		}
	}
	return v;
}

/*
 * Does a trigger at the entry @w, every so many visits, act anywhere else from
 * place @from of the run on?
 */
static bool strays(const struct problem *pb, const struct visits *v, const struct model_work *w,
		   uint32_t from)
{
	for (uint32_t i = 0; i < v->n; i++) {
		const struct model_work *o = v->at[i].work;
		uint64_t visit = o->enter_visit, turns = pb->model->phases[pb->order[v->at[i].place]].repeats;

		if (v->at[i].place < from || o == w || o->enter_site != w->enter_site)
			continue;
		/* Remainders come again after as many turns as the divisor at the latest. */
		for (uint64_t t = 0; t < turns && t < w->enter_every; t++, visit += o->enter_every)
			if (visit > w->enter_visit && (visit - w->enter_visit) % w->enter_every == 0)
				return true;
	}
	return false;
}

/* Inside a loop a change is wanted on every turn, and not when the loop is over. */
static void find_recurring(struct problem *pb)
{
	struct visits *v = list_visits(pb);

	for (uint32_t p = 0; p < pb->n_phases;) {
		struct loop l = loop_at(pb, p);

		for (; p <= l.last; p++)
			for (uint32_t i = 0; i < pb->phases[p].n_members; i++) {
				struct prob_member *m = &pb->phases[p].members[i];
				const struct model_work *w = entry_of(pb, m);

				m->recurs = l.first == l.last ||
					    (w && w->enter_every &&
					     !strays(pb, &v[m->thread], w, pb->phases[l.first].model_first));
			}
	}
	for (uint32_t t = 0; t < pb->model->n_threads; t++)
		free(v[t].at);
	free(v);
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
	const struct prob_member *m = prob_member_of(&pb->phases[p], thread);

	if (!m->heavy || !m->recurs || !problem_may_enter(pb, m) || !pb->model->threads[thread].plannable)
		return false;
	for (uint32_t q = l.first; q < p; q++) {
		const struct prob_member *before = prob_member_of(&pb->phases[q], thread);

		if (before)
			return pb->seats[before->seat].kind == SEAT_SITE &&
			       pb->seats[before->seat].first == q;
	}
	return true;
}

static void seat_in_phase(struct problem *pb, uint32_t thread, uint32_t p, struct loop l, uint32_t *cur)
{
	struct prob_member *m = (struct prob_member *)(uintptr_t)prob_member_of(&pb->phases[p], thread);

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

	if (p == 0)
		return true;
	for (uint32_t i = 0; i < ph->n_members; i++) {
		const struct prob_member *m = &ph->members[i];

		/* A thread starts once; `recurs` without an entry says that there is one turn. */
		if (m->recurs &&
		    (problem_may_enter(pb, m) || (m->starts && pb->model->threads[m->thread].plannable)))
			return true;
	}
	return false;
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

/* Where a free seat is heavy, and how much work it has there. */
struct matter {
	uint32_t first, last; /* PROB_NONE: nowhere */
	uint64_t work;
};

static struct matter *find_matter(const struct problem *pb)
{
	struct matter *m = mem_new(pb->n_seats + 1, sizeof(*m));

	for (uint32_t i = 0; i < pb->n_seats; i++)
		m[i].first = PROB_NONE;
	for (uint32_t p = 0; p < pb->n_phases; p++)
		for (uint32_t i = 0; i < pb->phases[p].n_heavy; i++) {
			uint32_t seat = pb->phases[p].members[i].seat;

			if (pb->seats[seat].kind == SEAT_FIXED || pb->seats[seat].kind == SEAT_FOLLOW)
				continue;
			m[seat].first = m[seat].first == PROB_NONE ? p : m[seat].first;
			m[seat].last = p;
			m[seat].work += pb->phases[p].work_ns[(size_t)i * pb->machine->n_steps] *
					pb->phases[p].repeats;
		}
	return m;
}

/* tied[p]: a free seat matters both before and from phase p on. */
static bool *find_tied(const struct problem *pb, const struct matter *m)
{
	bool *tied = mem_new(pb->n_phases + 1, sizeof(*tied));
	int64_t *more = mem_new(pb->n_phases + 2, sizeof(*more)), open = 0;

	for (uint32_t i = 0; i < pb->n_seats; i++)
		if (m[i].first != PROB_NONE) {
			more[m[i].first + 1]++;
			more[m[i].last + 1]--;
		}
	for (uint32_t p = 0; p < pb->n_phases; p++) {
		open += more[p];
		tied[p] = open > 0;
	}
	free(more);
	return tied;
}

/* All that a seat matters in lies in one block.  The one with most work first. */
static void collect_seats(struct problem *pb, const struct matter *m)
{
	for (uint32_t i = 0; i < pb->n_seats; i++)
		if (m[i].first != PROB_NONE)
			pb->blocks[pb->phases[m[i].first].block].n_seats++;
	for (uint32_t b = 0; b < pb->n_blocks; b++) {
		pb->blocks[b].seats = mem_new(pb->blocks[b].n_seats + 1, sizeof(*pb->blocks[b].seats));
		pb->blocks[b].n_seats = 0;
	}
	for (uint32_t i = 0; i < pb->n_seats; i++) {
		struct prob_block *b;
		uint32_t at;

		if (m[i].first == PROB_NONE)
			continue;
		b = &pb->blocks[pb->phases[m[i].first].block];
		for (at = b->n_seats++; at > 0 && m[b->seats[at - 1]].work < m[i].work; at--)
			b->seats[at] = b->seats[at - 1];
		b->seats[at] = i;
	}
}

static void make_blocks(struct problem *pb)
{
	struct matter *m = find_matter(pb);
	bool *tied = find_tied(pb, m);

	pb->blocks = mem_new(pb->n_phases, sizeof(*pb->blocks));
	for (uint32_t p = 0; p < pb->n_phases; p++) {
		if (p == 0 || !tied[p])
			pb->blocks[pb->n_blocks++].first = p;
		pb->blocks[pb->n_blocks - 1].last = p;
		pb->phases[p].block = pb->n_blocks - 1;
	}
	collect_seats(pb, m);
	free(tied);
	free(m);
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
	find_recurring(pb);
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
	e->arrivals = mem_resize(e->arrivals, e->n_arrivals + 1, sizeof(*e->arrivals));
}

/* Group the passages by the phase they lead to, in the order they were made. */
static void sort_edges(struct problem *pb)
{
	struct prob_edge *sorted = mem_new(pb->n_edges + 1, sizeof(*sorted));
	uint32_t *at = mem_new(pb->n_phases + 2, sizeof(*at));

	for (uint32_t i = 0; i < pb->n_edges; i++)
		at[pb->edges[i].to + 2]++;
	for (uint32_t p = 2; p < pb->n_phases + 2; p++)
		at[p] += at[p - 1];
	for (uint32_t i = 0; i < pb->n_edges; i++)
		sorted[at[pb->edges[i].to + 1]++] = pb->edges[i];
	free(pb->edges);
	pb->edges = sorted;
	pb->edge_at = at;
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
