/* SPDX-License-Identifier: MIT */
#include "analyzer/conflicts.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

static char *conflicts_text(const char *name)
{
	return name && *name ? mem_strdup(name) : NULL;
}

static bool same_field(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static struct model_conflict *conflicts_find(struct model *m, const struct model_conflict *like)
{
	for (size_t i = 0; i < m->n_conflicts; i++) {
		struct model_conflict *c = &m->conflicts[i];

		if (c->a.thread == like->a.thread && c->b.thread == like->b.thread &&
		    !strcmp(c->evidence, like->evidence) && same_field(c->a.field, like->a.field) &&
		    same_field(c->b.field, like->b.field))
			return c;
	}
	return NULL;
}

/* The mean over the runs that show the pair, one more now. */
static void average(double *mean, double x, size_t before)
{
	*mean += (x - *mean) / (double)(before + 1);
}

/* A run in which visits or gap are not known says nothing about them. */
static void average_visits(struct model_side *mean, const struct sharing_side *s, size_t before)
{
	if (!(s->gap_cycles > 0 && s->visits_per_kcycle > 0))
		return;
	average(&mean->visits_per_kcycle, s->visits_per_kcycle, mean->gap_cycles > 0 ? before : 0);
	average(&mean->gap_cycles, s->gap_cycles, mean->gap_cycles > 0 ? before : 0);
}

static void average_side(struct model_side *mean, const struct sharing_side *s, size_t before)
{
	average(&mean->accesses_per_kcycle, s->per_kcycle, before);
	average_visits(mean, s, before);
}

static struct model_side side_of(const struct sharing_side *s, uint32_t thread)
{
	struct model_side side = {.thread = thread, .field = conflicts_text(s->field), .kind = s->kind};

	average_side(&side, s, 0);
	side.site = s->site ? conflicts_text(s->site->id) : NULL;
	if (s->file && s->function) {
		side.function = mem_strdup(s->function);
		side.file = mem_strdup(s->file);
		side.line = s->line;
	}
	return side;
}

/* The conflict of the pair; it is there afterwards. */
static const struct model_conflict *add_pair(struct model *m, const struct sharing_finding *f,
					     const struct sharing_pair *p, uint32_t a, uint32_t b,
					     size_t before)
{
	const struct sharing_side *x = a < b ? &p->a : &p->b, *y = a < b ? &p->b : &p->a;
	struct model_conflict new = {.evidence = (char *)f->evidence, .phase = MODEL_NONE}, *c;

	new.a = (struct model_side){.thread = a < b ? a : b, .field = x->field};
	new.b = (struct model_side){.thread = a < b ? b : a, .field = y->field};
	c = conflicts_find(m, &new);
	if (c) {
		average_side(&c->a, x, before);
		average_side(&c->b, y, before);
		average(&c->transfers_per_s, p->transfers_per_s, before);
		return c;
	}
	new.evidence = mem_strdup(f->evidence);
	new.is_false = p->verdict == SHARING_FALSE;
	new.object = mem_strdup(f->object_name);
	new.a = side_of(x, new.a.thread);
	new.b = side_of(y, new.b.thread);
	new.transfers_per_s = p->transfers_per_s;
	m->conflicts = mem_resize(m->conflicts, m->n_conflicts + 1, sizeof(*m->conflicts));
	m->conflicts[m->n_conflicts++] = new;
	return &m->conflicts[m->n_conflicts - 1];
}

/* Nothing says whether such a pair can be kept apart, so a plan must not act on it. */
static void leave_out_unclear(const struct sharing_finding *f, struct notes *notes)
{
	const char *which = f->verdict == SHARING_UNCLEAR ? "" : "some pairs of threads ";

	notes_add(notes, "%s %s %s %sleft out: the bytes are not known", f->evidence,
		  sharing_verdict_name(SHARING_UNCLEAR), f->subject, which);
}

static void add_finding(struct model *m, const struct sharing_finding *f, const struct instances *ins,
			size_t run_number, size_t before, struct stages *stages, struct notes *notes)
{
	for (size_t i = 0; i < f->n_pairs; i++) {
		const struct sharing_pair *p = &f->pairs[i];
		uint32_t a = instance_of(ins, run_number, p->a.thread);
		uint32_t b = instance_of(ins, run_number, p->b.thread);

		if (p->a.per_kcycle < CONFLICT_MIN_RATE && p->b.per_kcycle < CONFLICT_MIN_RATE)
			continue;
		if (p->verdict == SHARING_UNCLEAR) {
			leave_out_unclear(f, notes);
		} else if (a == INSTANCE_NONE || b == INSTANCE_NONE || a == b) {
			notes_add(notes, "%s %s: a thread of it is not followed", f->evidence, f->subject);
		} else if (m->n_conflicts >= CONFLICT_MAX) {
			notes_add(notes, "more than %u conflicting pairs of threads: the rarest are left out",
				  CONFLICT_MAX);
			return;
		} else {
			stages_add_meeting(stages, add_pair(m, f, p, a, b, before), run_number,
					   &p->spans[a > b], &p->spans[a < b]);
		}
	}
}

static int by_evidence(const void *a, const void *b)
{
	const struct model_conflict *x = a, *y = b;
	int c = strcmp(x->evidence, y->evidence);

	if (c)
		return c;
	if (x->a.thread != y->a.thread)
		return x->a.thread < y->a.thread ? -1 : 1;
	if (x->b.thread != y->b.thread)
		return x->b.thread < y->b.thread ? -1 : 1;
	c = strcmp(x->a.field ? x->a.field : "", y->a.field ? y->a.field : "");
	return c ? c : strcmp(x->b.field ? x->b.field : "", y->b.field ? y->b.field : "");
}

static void tell_pair(const struct model *m, const char *const *opening, const struct model_conflict *c,
		      struct pair_when *when)
{
	if (c->phase != MODEL_NONE)
		when_add(when, m->phases[c->phase].name, opening[c->phase], 0);
	for (size_t i = 0; i < c->n_phases; i++)
		when_add(when, m->phases[c->phases[i].phase].name, opening[c->phases[i].phase],
			 c->phases[i].share);
	when->reason = mem_strdup(c->phase_reason);
}

/* What the model calls the conflict of the pair; NULL: it has none. */
static const struct model_conflict *conflict_of(struct model *m, const struct sharing_finding *f,
						const struct sharing_pair *p, uint32_t a, uint32_t b)
{
	struct model_conflict like = {.evidence = (char *)f->evidence};

	like.a = (struct model_side){.thread = a < b ? a : b, .field = a < b ? p->a.field : p->b.field};
	like.b = (struct model_side){.thread = a < b ? b : a, .field = a < b ? p->b.field : p->a.field};
	return conflicts_find(m, &like);
}

void conflicts_tell(struct model *m, const char *const *opening, struct sharing_report *rep,
		    const struct run *run, const struct instances *ins, size_t run_number)
{
	for (size_t i = 0; i < rep->n; i++) {
		const struct sharing_finding *f = &rep->findings[i];

		for (size_t k = 0; f->process == &run->processes[0] && k < f->n_pairs; k++) {
			struct sharing_pair *p = &f->pairs[k];
			uint32_t a = instance_of(ins, run_number, p->a.thread);
			uint32_t b = instance_of(ins, run_number, p->b.thread);
			const struct model_conflict *c = conflict_of(m, f, p, a, b);

			if (c && a != INSTANCE_NONE && b != INSTANCE_NONE)
				tell_pair(m, opening, c, &p->when);
		}
	}
}

void conflicts_add(struct model *m, const struct sharing_report *rep, const struct run *run,
		   const struct instances *ins, size_t run_number, size_t before, struct stages *stages,
		   struct notes *notes)
{
	/* Only the program's own process has a plan. */
	for (size_t i = 0; i < rep->n; i++)
		if (rep->findings[i].process == &run->processes[0])
			add_finding(m, &rep->findings[i], ins, run_number, before, stages, notes);
	if (m->n_conflicts)
		qsort(m->conflicts, m->n_conflicts, sizeof(*m->conflicts), by_evidence);
}
