/* SPDX-License-Identifier: MIT */
#include "analyzer/stages.h"

#include <stdlib.h>

#include "analyzer/time/clock.h"
#include "analyzer/time/fold.h"
#include "lib/mem.h"

/* The end of a wait is not the moment of the release: times this near to a boundary are on either side of it. */
#define EDGE_NS 1e6

/*
 * So many transfers would have been seen elsewhere, and there was time for the two
 * to be on cores at once ten times, by turns of 4 ms; where one window in 25 ms is
 * watched, for ten windows.
 */
#define SEEN_TRANSFERS 20.0
#define SEEN_NS        40e6
#define SEEN_RARELY_NS 400e6

void stages_add_run(struct stages *s, struct timeline *tl, size_t run, const struct intervals *first)
{
	const struct prs_rec_header *h = tl->p->header;
	struct notes unsaid = {0};
	struct stages_run *r = vec_add(&s->runs);
	struct bounds bounds;
	bool calibrated;

	r->run = run;
	r->edge = tl->p->ns_per_tick > 0 ? (uint64_t)(EDGE_NS / tl->p->ns_per_tick) : 0;
	r->settled = h->sharing_mode == PRS_SHARING_PRECISE    ? 0
		     : h->sharing_mode == PRS_SHARING_ADAPTIVE ? h->settled_tsc
							       : h->tsc_start;
	bounds_find(&bounds, tl, &unsaid);
	intervals_make(&r->intervals, tl, &bounds, core_khz(tl->run, &calibrated), tl->run->path);
	r->aligned = intervals_aligned(first, &r->intervals);
	r->tick = mem_new(bounds.n + 1, sizeof(*r->tick));
	for (size_t i = 0; i < bounds.n; i++)
		r->tick[i] = bounds.at[i].tick;
	bounds_release(&bounds);
	notes_release(&unsaid);
}

void stages_add_meeting(struct stages *s, const struct model_conflict *c, size_t run, uint64_t from,
			uint64_t to, double transfers)
{
	struct stages_meeting m = {c->evidence, run, from, to, transfers};

	vec_push(&s->meetings, m);
}

/* The interval that @tick lies in. */
static size_t interval_at(const struct stages_run *r, uint64_t tick)
{
	size_t i = r->intervals.n - 1;

	while (i && r->tick[i] > tick)
		i--;
	return i;
}

/* Time that two threads may have run at once in an interval, ns. */
static double both_ns(const struct stages_run *r, size_t i, const struct model_conflict *c)
{
	const struct interval *iv = &r->intervals.at[i];
	const struct part *a = part_of(iv, c->a.thread), *b = part_of(iv, c->b.thread);

	if (!a || !b || r->intervals.khz <= 0)
		return 0;
	return (a->cycles < b->cycles ? a->cycles : b->cycles) * 1e6 / r->intervals.khz;
}

/* Time of both in other classes than that of a meeting. */
struct elsewhere {
	double ns;
	bool rarely;  /* some of it only windows were watched */
	bool between; /* there are others of the class between the first and the last meeting */
};

static bool would_be_seen(const struct elsewhere *e, double per_ns)
{
	return e->ns * per_ns >= SEEN_TRANSFERS && e->ns >= (e->rarely ? SEEN_RARELY_NS : SEEN_NS);
}

/*
 * Would the two have been seen to meet in intervals of other classes than @class, in
 * which they met from interval @from to interval @to?  Of a class of which some lie
 * between those, the ones before and behind have to say it alone.
 */
static bool missed_elsewhere(const struct stages_run *r, const struct model_conflict *c,
			     const struct stages_meeting *m, const struct phase_classes *classes, size_t from,
			     size_t to)
{
	struct elsewhere *of = mem_new(classes->n + 1, sizeof(*of)), *all = &of[classes->n];
	uint32_t class = classes->of_first[from];
	double in = 0;
	bool seen;

	for (size_t i = 0; i < r->intervals.n; i++) {
		uint32_t k = classes->of_first[i];
		double ns = both_ns(r, i, c);

		if (k == class)
			in += ns;
		if (k == class || k >= classes->n || ns <= 0)
			continue;
		of[k].between |= i > from && i < to;
		if (i >= from && i <= to)
			continue;
		for (int e = 0; e < 2; e++) {
			struct elsewhere *at = e ? all : &of[k];

			at->ns += ns;
			at->rarely |= r->settled && (i + 1 == r->intervals.n || r->tick[i + 1] > r->settled);
		}
	}
	seen = in > 0 && would_be_seen(all, m->transfers / in);
	for (size_t k = 0; k < classes->n && seen; k++)
		seen = !of[k].between || would_be_seen(&of[k], m->transfers / in);
	free(of);
	return seen;
}

static const struct stages_run *run_of(const struct stages *s, size_t number)
{
	for (size_t i = 0; i < s->runs.n; i++)
		if (s->runs.at[i].run == number)
			return &s->runs.at[i];
	return NULL;
}

/* The class of the intervals in which the two met; MODEL_NONE: it is not known to be one. */
static uint32_t class_of(const struct stages *s, const struct stages_meeting *m,
			 const struct model_conflict *c, const struct phase_classes *classes)
{
	const struct stages_run *r = run_of(s, m->run);
	uint64_t middle = m->from + (m->to - m->from) / 2;
	size_t from, to;
	uint32_t class;

	if (!r || !r->aligned || !r->intervals.n)
		return MODEL_NONE;
	from = interval_at(r, m->from + r->edge < middle ? m->from + r->edge : middle);
	to = interval_at(r, m->to - middle > r->edge ? m->to - r->edge : middle);
	class = classes->of_first[from];
	if (class >= classes->n || classes->of_first[to] != class ||
	    !missed_elsewhere(r, c, m, classes, from, to))
		return MODEL_NONE;
	return class;
}

/* What all runs that show the conflict say. */
static uint32_t phase_of(const struct stages *s, const struct model_conflict *c,
			 const struct phase_classes *classes)
{
	uint32_t phase = MODEL_NONE;
	bool any = false;

	for (size_t i = 0; i < s->meetings.n; i++) {
		const struct stages_meeting *m = &s->meetings.at[i];
		uint32_t says;

		if (m->evidence != c->evidence)
			continue;
		says = class_of(s, m, c, classes);
		if (any && says != phase)
			return MODEL_NONE;
		phase = says;
		any = true;
	}
	return phase;
}

/* Cycles of a thread, in one phase or (MODEL_NONE) in all. */
static double cycles_of(const struct model *m, uint32_t thread, uint32_t phase)
{
	double sum = 0;

	for (size_t p = 0; p < m->n_phases; p++)
		for (size_t k = 0; k < m->phases[p].n_work && (phase == MODEL_NONE || phase == p); k++)
			if (m->phases[p].work[k].thread == thread)
				sum += (double)m->phases[p].work[k].cycles * m->phases[p].repeats;
	return sum;
}

/* All its accesses are made in the phase: per cycle of that they are more. */
static void side_in_phase(struct model_side *s, const struct model *m, uint32_t phase)
{
	double all = cycles_of(m, s->thread, MODEL_NONE), in = cycles_of(m, s->thread, phase);

	s->accesses_per_kcycle *= all / in;
	s->visits_per_kcycle *= all / in;
}

void stages_fill(const struct stages *s, struct model *m, const struct phase_classes *classes)
{
	for (size_t i = 0; i < m->n_conflicts; i++) {
		struct model_conflict *c = &m->conflicts[i];
		uint32_t phase = phase_of(s, c, classes);

		if (phase == MODEL_NONE || cycles_of(m, c->a.thread, phase) <= 0 ||
		    cycles_of(m, c->b.thread, phase) <= 0)
			continue;
		c->phase = phase;
		side_in_phase(&c->a, m, phase);
		side_in_phase(&c->b, m, phase);
	}
}

void stages_release(struct stages *s)
{
	for (size_t i = 0; i < s->runs.n; i++) {
		free(s->runs.at[i].tick);
		intervals_release(&s->runs.at[i].intervals);
	}
	vec_release(&s->runs);
	vec_release(&s->meetings);
}
