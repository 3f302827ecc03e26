/* SPDX-License-Identifier: MIT */
#include "analyzer/conflicts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

static char *where(const struct sharing_side *s)
{
	char buf[512];
	const char *slash;

	if (!s->file)
		return NULL;
	slash = strrchr(s->file, '/');
	snprintf(buf, sizeof(buf), "%s %s:%u", s->function, slash ? slash + 1 : s->file, s->line);
	return mem_strdup(buf);
}

static char *field(const char *name)
{
	return name && *name ? mem_strdup(name) : NULL;
}

static bool same_field(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static struct model_conflict *find(struct model *m, const struct model_conflict *like)
{
	for (size_t i = 0; i < m->n_conflicts; i++) {
		struct model_conflict *c = &m->conflicts[i];

		if (c->thread_a == like->thread_a && c->thread_b == like->thread_b &&
		    !strcmp(c->evidence, like->evidence) && same_field(c->field_a, like->field_a) &&
		    same_field(c->field_b, like->field_b))
			return c;
	}
	return NULL;
}

/* The mean over the runs that show the pair, one more now. */
static void average(double *mean, double x, size_t before)
{
	*mean += (x - *mean) / (double)(before + 1);
}

/* Where gaps are known, what counts is how often the line may have to be fetched. */
static double rate(const struct sharing_side *s)
{
	return s->gap_cycles > 0 ? s->visits_per_kcycle : s->per_kcycle;
}

static void add_pair(struct model *m, const struct sharing_finding *f, const struct sharing_pair *p,
		     uint32_t a, uint32_t b, size_t before)
{
	const struct sharing_side *x = a < b ? &p->a : &p->b, *y = a < b ? &p->b : &p->a;
	struct model_conflict new = {.evidence = (char *)f->evidence, .phase = MODEL_NONE}, *c;

	new.thread_a = a < b ? a : b;
	new.thread_b = a < b ? b : a;
	new.field_a = x->field;
	new.field_b = y->field;
	c = find(m, &new);
	if (c) {
		average(&c->rate_a, rate(x), before);
		average(&c->rate_b, rate(y), before);
		average(&c->gap_a, x->gap_cycles, before);
		average(&c->gap_b, y->gap_cycles, before);
		average(&c->transfers_per_s, p->transfers_per_s, before);
		return;
	}
	new.evidence = mem_strdup(f->evidence);
	new.is_false = p->verdict == SHARING_FALSE;
	new.object = mem_strdup(f->object_name);
	new.field_a = field(x->field);
	new.field_b = field(y->field);
	new.kind_a = x->kind;
	new.kind_b = y->kind;
	new.rate_a = rate(x);
	new.rate_b = rate(y);
	new.gap_a = x->gap_cycles;
	new.gap_b = y->gap_cycles;
	new.transfers_per_s = p->transfers_per_s;
	new.where_a = where(x);
	new.where_b = where(y);
	m->conflicts = mem_resize(m->conflicts, m->n_conflicts + 1, sizeof(*m->conflicts));
	m->conflicts[m->n_conflicts++] = new;
}

/* Nothing says whether such a pair can be kept apart, so a plan must not act on it. */
static void leave_out_unclear(const struct sharing_finding *f, struct notes *notes)
{
	const char *which = f->verdict == SHARING_UNCLEAR ? "" : "some pairs of threads ";

	notes_add(notes, "%s %s %s %sleft out: the bytes are not known", f->evidence,
		  sharing_verdict_name(SHARING_UNCLEAR), f->subject, which);
}

static void add_finding(struct model *m, const struct sharing_finding *f, const struct instances *ins,
			size_t run_number, size_t before, struct notes *notes)
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
			add_pair(m, f, p, a, b, before);
		}
	}
}

static int by_evidence(const void *a, const void *b)
{
	const struct model_conflict *x = a, *y = b;
	int c = strcmp(x->evidence, y->evidence);

	if (c)
		return c;
	if (x->thread_a != y->thread_a)
		return x->thread_a < y->thread_a ? -1 : 1;
	if (x->thread_b != y->thread_b)
		return x->thread_b < y->thread_b ? -1 : 1;
	c = strcmp(x->field_a ? x->field_a : "", y->field_a ? y->field_a : "");
	return c ? c : strcmp(x->field_b ? x->field_b : "", y->field_b ? y->field_b : "");
}

void conflicts_add(struct model *m, const struct sharing_report *rep, const struct run *run,
		   const struct instances *ins, size_t run_number, size_t before, struct notes *notes)
{
	/* Only the program's own process has a plan. */
	for (size_t i = 0; i < rep->n; i++)
		if (rep->findings[i].process == &run->processes[0])
			add_finding(m, &rep->findings[i], ins, run_number, before, notes);
	if (m->n_conflicts)
		qsort(m->conflicts, m->n_conflicts, sizeof(*m->conflicts), by_evidence);
}
