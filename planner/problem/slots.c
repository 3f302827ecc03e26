/* SPDX-License-Identifier: MIT */
/*
 * Where threads can be moved and frequencies changed: slots, epochs, blocks,
 * and the passages between phases.
 *
 * Consecutive phases with the same number of repeats are taken for the body
 * of a loop (their changes are paid on every turn) unless the visits of a
 * call site show that one phase is over before the next begins.  Those at the
 * end of the body may have one repeat less: a loop whose first turn begins
 * where the threads start is seen from its second phase on, and its last turn
 * then ends there.
 */
#include <stdlib.h>
#include <string.h>

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

/* Does a thread enter @b by the call of its entry to @a, between two turns of that? */
static bool takes_turns(const struct problem *pb, const struct prob_phase *a, const struct prob_phase *b)
{
	for (uint32_t i = 0; i < b->n_members; i++) {
		const struct model_work *y = entry_of(pb, &b->members[i]);
		const struct prob_member *m = prob_member_of(a, b->members[i].thread);
		const struct model_work *x = m ? entry_of(pb, m) : NULL;

		if (x && y && x->enter_site == y->enter_site && y->enter_visit > x->enter_visit &&
		    y->enter_visit < x->enter_visit + x->enter_every)
			return true;
	}
	return false;
}

/*
 * Is @next of the loop that @head begins, behind @last?  What has one turn only, where the
 * others have two, may as well be what comes after the loop.
 */
static bool is_inside(const struct problem *pb, const struct prob_phase *head, const struct prob_phase *last,
		      const struct prob_phase *next)
{
	if (in_sequence(pb, last, next))
		return false;
	if (next->repeats == head->repeats)
		return last->repeats == head->repeats;
	return next->repeats + 1 == head->repeats && (next->repeats > 1 || takes_turns(pb, head, next));
}

/* The loop that phase @p begins, or the phase alone. */
static struct loop loop_at(const struct problem *pb, uint32_t p)
{
	struct loop l = {p, p};

	while (pb->phases[p].repeats > 1 && l.last + 1 < pb->n_phases &&
	       is_inside(pb, &pb->phases[p], &pb->phases[l.last], &pb->phases[l.last + 1]))
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

/* Inside a loop a change is wanted on every turn that has the phase, and not when the loop is over. */
static void find_recurring(struct problem *pb)
{
	struct visits *v = list_visits(pb);

	for (uint32_t p = 0; p < pb->n_phases;) {
		struct loop l = loop_at(pb, p);

		for (; p <= l.last; p++)
			for (uint32_t i = 0; i < pb->phases[p].n_members; i++) {
				struct prob_member *m = &pb->phases[p].members[i];
				const struct model_work *w = entry_of(pb, m);
				bool every = w && (w->enter_every || pb->phases[p].repeats == 1);

				m->recurs = l.first == l.last ||
					    (every &&
					     !strays(pb, &v[m->thread], w, pb->phases[l.first].model_first));
			}
	}
	for (uint32_t t = 0; t < pb->model->n_threads; t++)
		free(v[t].at);
	free(v);
}

/* ---- slots ---- */

static bool ever_heavy(const struct problem *pb, uint32_t thread)
{
	for (uint32_t p = 0; p < pb->n_phases; p++)
		for (uint32_t i = 0; i < pb->phases[p].n_heavy; i++)
			if (pb->phases[p].members[i].thread == thread)
				return true;
	return false;
}

static enum slot_kind first_kind(const struct problem *pb, uint32_t thread)
{
	const struct model_thread *t = &pb->model->threads[thread];

	if (thread == 0)
		return SLOT_PROGRAM;
	if (!t->plannable)
		return SLOT_FIXED;
	if (!ever_heavy(pb, thread) && t->creator < thread)
		return SLOT_FOLLOW;
	return SLOT_START;
}

static uint32_t add_slot(struct problem *pb, uint32_t thread, enum slot_kind kind, uint32_t phase)
{
	pb->slots = mem_resize(pb->slots, pb->n_slots + 1, sizeof(*pb->slots));
	pb->slots[pb->n_slots] = (struct prob_slot){.thread = thread,
						    .kind = kind,
						    .first = phase,
						    .last = phase,
						    .enter_phase = PROB_NONE,
						    .enter_work = PROB_NONE,
						    .follow = PROB_NONE};
	return pb->n_slots++;
}

/* Does the last turn of the loop end before it comes to @p? */
static bool is_cut(const struct problem *pb, uint32_t p, struct loop l)
{
	return pb->phases[p].repeats < pb->phases[l.first].repeats;
}

static bool may_act(const struct problem *pb, const struct prob_member *m)
{
	return m->heavy && m->recurs && problem_may_enter(pb, m) && pb->model->threads[m->thread].plannable;
}

/* Does the thread go on behind the loop where it then is? */
static bool goes_on_behind(const struct problem *pb, uint32_t thread, struct loop l)
{
	for (uint32_t q = l.last + 1; q < pb->n_phases; q++) {
		const struct prob_member *m = prob_member_of(&pb->phases[q], thread);

		l = q > l.last ? loop_at(pb, q) : l;
		if (m)
			return !may_act(pb, m) || is_cut(pb, q, l);
	}
	return false;
}

/*
 * May the thread be moved when it enters @p?  Inside a loop only if it can be
 * moved back where it is first seen in the loop, or the next turn would find
 * it elsewhere; and if the last turn does not come there, only if nothing
 * behind the loop takes it to be where the turns before have left it.
 */
static bool can_move(const struct problem *pb, uint32_t thread, uint32_t p, struct loop l)
{
	const struct prob_member *m = prob_member_of(&pb->phases[p], thread);

	if (!may_act(pb, m) || (is_cut(pb, p, l) && goes_on_behind(pb, thread, l)))
		return false;
	for (uint32_t q = l.first; q < p; q++) {
		const struct prob_member *before = prob_member_of(&pb->phases[q], thread);

		if (before)
			return pb->slots[before->slot].kind == SLOT_SITE &&
			       pb->slots[before->slot].first == q;
	}
	return true;
}

static void slot_in_phase(struct problem *pb, uint32_t thread, uint32_t p, struct loop l, uint32_t *cur)
{
	struct prob_member *m = (struct prob_member *)(uintptr_t)prob_member_of(&pb->phases[p], thread);

	if (!m)
		return;
	if (*cur == PROB_NONE) {
		*cur = add_slot(pb, thread, first_kind(pb, thread), p);
	} else if (pb->slots[*cur].kind != SLOT_FIXED && pb->slots[*cur].kind != SLOT_FOLLOW &&
		   can_move(pb, thread, p, l)) {
		*cur = add_slot(pb, thread, SLOT_SITE, p);
		pb->slots[*cur].enter_phase = m->enter_phase;
		pb->slots[*cur].enter_work = m->enter_work;
	}
	m->slot = *cur;
	pb->slots[*cur].last = p;
	pb->slots[*cur].heavy |= m->heavy;
	pb->home[(size_t)p * pb->model->n_threads + thread] = *cur;
}

/* The creator's slot when the thread appears: its latest one that began by then. */
static uint32_t creator_slot(const struct problem *pb, const struct prob_slot *s)
{
	uint32_t creator = pb->model->threads[s->thread].creator, found = PROB_NONE;

	for (uint32_t i = 0; i < pb->n_slots; i++)
		if (pb->slots[i].thread == creator && (found == PROB_NONE || pb->slots[i].first <= s->first))
			found = i;
	return found;
}

static void resolve_follow(struct problem *pb)
{
	for (uint32_t i = 0; i < pb->n_slots; i++) {
		struct prob_slot *s = &pb->slots[i];

		if (s->kind != SLOT_FOLLOW)
			continue;
		s->follow = creator_slot(pb, s);
		if (s->follow == PROB_NONE)
			s->kind = SLOT_START;
		else if (pb->slots[s->follow].kind == SLOT_FOLLOW)
			s->follow = pb->slots[s->follow].follow;
	}
}

/* ---- epochs ---- */

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

static void make_epochs(struct problem *pb)
{
	pb->epochs = mem_new(pb->n_phases, sizeof(*pb->epochs));
	for (uint32_t p = 0; p < pb->n_phases;) {
		struct loop l = loop_at(pb, p);
		bool opens = steppable(pb, l.first), last = l.last + 1 == pb->n_phases;
		bool anew = last || steppable(pb, l.last + 1); /* steps are set behind it */

		for (; p <= l.last; p++) {
			if (opens && steppable(pb, p) && (anew || !is_cut(pb, p, l)))
				pb->epochs[pb->n_epochs++] = p;
			pb->phases[p].epoch = pb->n_epochs - 1;
		}
	}
}

/* ---- blocks ---- */

/* Where a free slot is heavy, and how much work it has there. */
struct matter {
	uint32_t first, last; /* PROB_NONE: nowhere */
	uint64_t work;
};

static struct matter *find_matter(const struct problem *pb)
{
	struct matter *m = mem_new(pb->n_slots + 1, sizeof(*m));

	for (uint32_t i = 0; i < pb->n_slots; i++)
		m[i].first = PROB_NONE;
	for (uint32_t p = 0; p < pb->n_phases; p++)
		for (uint32_t i = 0; i < pb->phases[p].n_heavy; i++) {
			uint32_t slot = pb->phases[p].members[i].slot;

			if (pb->slots[slot].kind == SLOT_FIXED || pb->slots[slot].kind == SLOT_FOLLOW)
				continue;
			m[slot].first = m[slot].first == PROB_NONE ? p : m[slot].first;
			m[slot].last = p;
			m[slot].work += pb->phases[p].work_ns[(size_t)i * pb->machine->n_steps] *
					pb->phases[p].repeats;
		}
	return m;
}

/* tied[p]: a free slot matters both before and from phase p on. */
static bool *find_tied(const struct problem *pb, const struct matter *m)
{
	bool *tied = mem_new(pb->n_phases + 1, sizeof(*tied));
	int64_t *more = mem_new(pb->n_phases + 2, sizeof(*more)), open = 0;

	for (uint32_t i = 0; i < pb->n_slots; i++)
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

/* All that a slot matters in lies in one block.  The one with most work first. */
static void collect_slots(struct problem *pb, const struct matter *m)
{
	for (uint32_t i = 0; i < pb->n_slots; i++)
		if (m[i].first != PROB_NONE)
			pb->blocks[pb->phases[m[i].first].block].n_slots++;
	for (uint32_t b = 0; b < pb->n_blocks; b++) {
		pb->blocks[b].slots = mem_new(pb->blocks[b].n_slots + 1, sizeof(*pb->blocks[b].slots));
		pb->blocks[b].n_slots = 0;
	}
	for (uint32_t i = 0; i < pb->n_slots; i++) {
		struct prob_block *b;
		uint32_t at;

		if (m[i].first == PROB_NONE)
			continue;
		b = &pb->blocks[pb->phases[m[i].first].block];
		for (at = b->n_slots++; at > 0 && m[b->slots[at - 1]].work < m[i].work; at--)
			b->slots[at] = b->slots[at - 1];
		b->slots[at] = i;
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
	collect_slots(pb, m);
	free(tied);
	free(m);
}

void problem_slots(struct problem *pb)
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
				slot_in_phase(pb, t, p, l, &cur[t]);
	}
	free(cur);
	resolve_follow(pb);
	make_epochs(pb);
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
		uint32_t slot = pb->home[(size_t)to * n + t];

		if (slot == PROB_NONE || slot == cur[t])
			continue;
		e->arrivals[e->n_arrivals++] = (struct prob_arrival){slot, cur[t]};
		cur[t] = slot;
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

static void touch(struct prob_slot *s, uint32_t first, uint32_t last)
{
	s->touch_first = first < s->touch_first ? first : s->touch_first;
	s->touch_last = last > s->touch_last ? last : s->touch_last;
}

static void find_touched(struct problem *pb)
{
	for (uint32_t i = 0; i < pb->n_slots; i++) {
		pb->slots[i].touch_first = pb->slots[i].first;
		pb->slots[i].touch_last = pb->slots[i].last;
	}
	for (uint32_t i = 0; i < pb->n_slots; i++)
		if (pb->slots[i].follow != PROB_NONE)
			touch(&pb->slots[pb->slots[i].follow], pb->slots[i].first, pb->slots[i].last);
	for (uint32_t e = 0; e < pb->n_edges; e++)
		for (uint32_t i = 0; i < pb->edges[e].n_arrivals; i++) {
			const struct prob_arrival *a = &pb->edges[e].arrivals[i];

			touch(&pb->slots[a->slot], pb->edges[e].to, pb->edges[e].to);
			if (a->before != PROB_NONE)
				touch(&pb->slots[a->before], pb->edges[e].to, pb->edges[e].to);
		}
}

/*
 * The later turns of a loop, which begin where the first one, that phase @before ended, left the
 * threads (@cur).  Returns the phase that the last turn ends in, and in @cur where they are then.
 */
static uint32_t later_turns(struct problem *pb, struct loop l, uint32_t before, uint32_t *cur)
{
	uint32_t n = (uint32_t)pb->model->n_threads, last = before;
	uint32_t *left = mem_new(n + 1, sizeof(*left));

	for (uint32_t q = l.first; q <= l.last; q++) {
		uint64_t repeats = pb->phases[q].repeats;

		if (repeats > 1) {
			add_edge(pb, before, q, repeats - 1, cur);
			before = q;
		}
		if (repeats < pb->phases[l.first].repeats)
			continue;
		last = q;
		memcpy(left, cur, n * sizeof(*left));
	}
	/* Who starts in what the last turn lacks is there all the same. */
	for (uint32_t t = 0; t < n; t++)
		cur[t] = left[t] == PROB_NONE ? cur[t] : left[t];
	free(left);
	return last;
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
		if (l.last > l.first)
			before = later_turns(pb, l, before, cur);
		p = l.last;
	}
	free(cur);
	sort_edges(pb);
	find_touched(pb);
}
