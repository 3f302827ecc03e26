/* SPDX-License-Identifier: MIT */
/* What can be told of each row. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff/parts.h"

#define CALLS_CHANGED 0.001 /* of the number of calls */

/* The values of one side of a row, and what is known of their spread. */
struct sample {
	double *value, *each, *sd, *each_sd;
	size_t n;
};

static void sample_side(const struct diff *d, const struct diff_row *r, bool new, struct sample *s,
			struct diff_figures *f)
{
	const struct diff_side *side = new ? d->new : d->base;
	size_t first = new ? d->base->recordings.n : 0;

	s->n = 0;
	*f = (struct diff_figures){0};
	for (size_t i = 0; i < side->recordings.n; i++) {
		static const struct diff_entry none;
		const struct diff_entry *e = r->at[first + i];

		if (!e && side->recordings.at[i].cut[r->kind])
			continue; /* not known */
		f->seen += e != NULL;
		e = e ? e : &none;
		s->value[s->n] = e->value;
		s->sd[s->n] = e->sd;
		s->each[s->n] = e->calls > 0 ? e->value / e->calls : 0;
		s->each_sd[s->n] = e->calls > 0 ? e->sd / e->calls : 0;
		s->n++;
		f->value += e->value;
		f->calls += e->calls;
		f->share += e->share;
	}
	f->known = s->n;
	if (s->n) {
		f->value /= (double)s->n;
		f->calls /= (double)s->n;
		f->share /= (double)s->n;
	}
}

static void sample_new(struct sample *s, size_t n)
{
	*s = (struct sample){mem_new(n, sizeof(double)), mem_new(n, sizeof(double)),
			     mem_new(n, sizeof(double)), mem_new(n, sizeof(double)), 0};
}

static void sample_free(struct sample *s)
{
	free(s->value);
	free(s->each);
	free(s->sd);
	free(s->each_sd);
}

static bool matters(const struct diff *d, const struct diff_row *r, bool *scheduled)
{
	bool any = false;

	for (size_t i = 0; i < diff_recordings(d); i++) {
		any |= r->at[i] && r->at[i]->matters;
		*scheduled |= r->at[i] && r->at[i]->scheduled;
	}
	return any;
}

static void judge_compare(struct diff_row *r, const struct sample *a, const struct sample *b)
{
	double least = r->scheduled ? 1 : DIFF_LEAST;
	const struct group whole[] = {{a->value, a->sd, a->n, least}, {b->value, b->sd, b->n, least}};
	const struct group each[] = {{a->each, a->each_sd, a->n, least}, {b->each, b->each_sd, b->n, least}};
	double calls = fmax(r->base.calls, r->new.calls);

	r->whole = groups_compare(&whole[0], &whole[1], DIFF_APART);
	r->p = r->whole.p;
	r->per_call = r->kind != DIFF_FINDING && r->base.calls > 0 && r->new.calls > 0 &&
		      fabs(r->new.calls - r->base.calls) > CALLS_CHANGED *calls;
	if (!r->per_call)
		return;
	r->each = groups_compare(&each[0], &each[1], DIFF_APART);
	r->p = fmin(1, 2 * fmin(r->whole.p, r->each.p));
}

/* Figures of the row, and whether it is one to ask about. */
static void judge_prepare(struct diff *d, struct diff_row *r, struct sample *a, struct sample *b)
{
	sample_side(d, r, false, a, &r->base);
	sample_side(d, r, true, b, &r->new);
	r->matters = matters(d, r, &r->scheduled);
	r->state = DIFF_SAME;
	r->p = 1;
	if (!a->n || !b->n)
		r->state = DIFF_UNKNOWN;
	else if (!r->base.seen && r->new.seen)
		r->state = DIFF_ADDED;
	else if (r->base.seen && !r->new.seen)
		r->state = DIFF_REMOVED;
	r->judged = r->matters && r->state == DIFF_SAME;
	if (a->n && b->n)
		judge_compare(r, a, b);
}

/* Several questions, one probability of a false answer. */
static void correct(struct diff *d)
{
	double *p = mem_new(d->rows.n + 1, sizeof(*p));
	size_t n = 0;

	for (size_t i = 0; i < d->rows.n; i++)
		if (d->rows.at[i].judged)
			p[n++] = d->rows.at[i].p;
	groups_holm(p, n);
	d->judged = n;
	n = 0;
	for (size_t i = 0; i < d->rows.n; i++) {
		struct diff_row *r = &d->rows.at[i];

		if (!r->judged)
			continue;
		r->p = p[n++];
		if (r->p >= DIFF_FAMILY)
			continue;
		r->state = DIFF_CHANGED;
		r->by_calls = r->per_call && r->whole.p < r->each.p;
	}
	free(p);
}

/* The largest row is where the least can be told. */
static void find_least(struct diff *d)
{
	double most = 0;

	for (size_t i = 0; i < d->rows.n; i++) {
		const struct diff_row *r = &d->rows.at[i];

		if (!r->judged || r->whole.a <= most)
			continue;
		most = r->whole.a;
		d->least = groups_least(&r->whole, DIFF_FAMILY / (double)d->judged) / r->whole.a;
		d->least_name = r->name;
	}
}

static void judge_whole(struct diff *d)
{
	double *v = mem_new(2 * diff_recordings(d), sizeof(*v)), *sd = v + diff_recordings(d);
	size_t na = d->base->recordings.n, nb = d->new->recordings.n;
	struct group a = {v, sd, na, DIFF_LEAST}, b = {v + na, sd + na, nb, DIFF_LEAST};

	for (size_t i = 0; i < na + nb; i++) {
		const struct diff_recording *r =
			i < na ? &d->base->recordings.at[i] : &d->new->recordings.at[i - na];

		v[i] = r->thread_ns;
		sd[i] = hypot(d->noise, r->in_line) * v[i];
		d->in_line[i >= na] += r->in_line / (double)(i < na ? na : nb);
	}
	d->whole = groups_compare(&a, &b, DIFF_APART);
	free(v);
}

bool diff_worse(const struct diff_row *r)
{
	return (r->per_call && !r->by_calls ? r->each.difference : r->whole.difference) > 0;
}

/* Changed first, then what is there on one side only, then the rest. */
static int judge_place(const struct diff_row *r)
{
	switch (r->state) {
	case DIFF_CHANGED:
		return diff_worse(r) ? 0 : 1;
	case DIFF_ADDED:
	case DIFF_REMOVED:
		return r->matters ? 2 : 4;
	default:
		return r->judged ? 3 : 5;
	}
}

static int by_weight(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;
	double dx = fabs(x->whole.difference), dy = fabs(y->whole.difference);

	if (judge_place(x) != judge_place(y))
		return judge_place(x) - judge_place(y);
	if (x->kind != y->kind && judge_place(x) < 3)
		return (int)x->kind - (int)y->kind;
	if (judge_place(x) == 3 && x->p != y->p)
		return x->p < y->p ? -1 : 1;
	if (dx != dy)
		return dx > dy ? -1 : 1;
	return strcmp(x->key, y->key);
}

void diff_judge(struct diff *d)
{
	struct sample a, b;

	sample_new(&a, d->base->recordings.n);
	sample_new(&b, d->new->recordings.n);
	for (size_t i = 0; i < d->rows.n; i++)
		judge_prepare(d, &d->rows.at[i], &a, &b);
	sample_free(&a);
	sample_free(&b);
	correct(d);
	find_least(d);
	judge_whole(d);
	qsort(d->rows.at, d->rows.n, sizeof(*d->rows.at), by_weight);
}
