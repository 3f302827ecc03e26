/* SPDX-License-Identifier: MIT */
#include "verify/base/match.h"

#include <stdlib.h>
#include <string.h>

static void check_file(const char *what, const char *planned, const char *found, struct findings *list)
{
	if (strcmp(planned, found))
		findings_add(list, "the plan was made from a %s with sha256 %.16s.., this file has %.16s..",
			     what, planned, found);
}

void match_files(const struct vplan *p, const struct vplatform *f, const struct vmodel *m, size_t n,
		 struct findings *list)
{
	check_file("platform", p->platform_sha256, f->sha256, list);
	for (size_t k = 0; k < n && k < (p->n_inputs ? p->n_inputs : 1); k++)
		check_file("model", p->n_inputs ? p->input[k] : p->model_sha256, m[k].sha256, list);
}

bool match_site(const struct vplan_site *planned, const struct vmodel *m, uint32_t site)
{
	const struct vmodel_site *s = &m->site[site];

	return !strcmp(planned->id, s->id) &&
	       (!strcmp(planned->instance, "*") || !strcmp(planned->instance, s->instance));
}

static bool same_text(const char *planned, const char *found)
{
	return !found || (planned && !strcmp(planned, found));
}

/* What the plan says about a call site for people and for the generator is what some model says. */
static bool is_described(const struct vplan_site *s, const struct vmodel *m)
{
	for (uint32_t i = 0; i < m->n_sites; i++) {
		const struct vmodel_site *o = &m->site[i];

		if (match_site(s, m, i) && same_text(s->unit, o->unit) &&
		    same_text(s->function, o->function) && same_text(s->callee, o->callee) &&
		    same_text(s->file, o->file) && (o->line == VMODEL_NONE || o->line == s->line) &&
		    (o->equal == VMODEL_NONE || o->equal == s->equal) && same_text(s->near, o->near))
			return true;
	}
	return false;
}

static void check_sites(const struct vplan *p, const struct vmodel *m, size_t n, struct findings *list)
{
	for (size_t i = 0; i < p->n_sites; i++) {
		bool found = false;

		for (size_t k = 0; k < n; k++)
			found |= is_described(&p->site[i], &m[k]);
		if (!found)
			findings_add(list, "site %zu of the plan is none of the model", i);
	}
}

/* Made by the same creator at the same place, as the same one of several. */
static bool same_creation(const struct vplan *p, const struct vplan_thread *planned, uint32_t creator,
			  const struct vmodel *m, const struct vmodel_thread *t)
{
	if (planned->creator != creator || planned->ordinal != t->ordinal)
		return false;
	if (planned->site == VPLAN_NONE || t->site == VMODEL_NONE)
		return planned->site == t->site;
	return match_site(&p->site[planned->site], m, t->site);
}

/* The plan's numbers of the threads of model @k, from 1; seen[]: the model that had a thread last. */
static uint32_t *match_threads(const struct vplan *p, const struct vmodel *m, uint32_t k, uint32_t *seen,
			       struct findings *list)
{
	uint32_t *number = need(m->n_threads, sizeof(*number));

	for (uint32_t i = 0; i < m->n_threads; i++) {
		const struct vmodel_thread *t = &m->thread[i];
		uint32_t creator = t->creator == VMODEL_NONE ? VPLAN_NONE : number[t->creator], j = 0;

		while (j < p->n_threads && (seen[j] == k || !same_creation(p, &p->thread[j], creator, m, t)))
			j++;
		/* The plan has the threads of the first model first, and the names of the first that has them. */
		if (j == p->n_threads || (k == 1 && j != i) ||
		    (!seen[j] && strcmp(p->thread[j].name, t->name)))
			findings_add(list, "thread %u of the plan is not that of the model", i);
		else
			seen[j] = k;
		number[i] = j;
	}
	return number;
}

static void renumber(struct vmodel *m, const uint32_t *number)
{
	for (size_t i = 0; i < m->n_phases; i++)
		for (size_t k = 0; k < m->phase[i].n_all; k++)
			m->phase[i].work[k].thread = number[m->phase[i].work[k].thread];
	for (size_t i = 0; i < m->n_conflicts; i++)
		for (int k = 0; k < 2; k++)
			m->conflict[i].side[k].thread = number[m->conflict[i].side[k].thread];
}

static bool enters_alike(const struct vmodel *a, const struct vmodel_work *x, const struct vmodel *b,
			 const struct vmodel_work *y)
{
	return y && y->enters && x->visit == y->visit && x->every == y->every && x->starts == y->starts &&
	       !strcmp(a->site[x->site].id, b->site[y->site].id) &&
	       !strcmp(a->site[x->site].instance, b->site[y->site].instance);
}

/* Entries of model @m that not all @n models have are none. */
static void compare_entries(struct vmodel *m, const struct vmodel *all, size_t n)
{
	for (uint32_t p = 0; p < m->n_phases; p++)
		for (size_t i = 0; i < m->phase[p].n_work; i++) {
			struct vmodel_work *w = &m->phase[p].work[i];

			for (size_t k = 0; w->enters && k < n; k++)
				w->enters =
					enters_alike(m, w, &all[k], vmodel_work(&all[k].phase[p], w->thread));
		}
}

/* The plan's phases are those of model @k, each once and in order; no joined ones have a barrier between. */
static void match_phases(const struct vplan *p, const struct vmodel *m, size_t k, struct findings *list)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < p->n_phases; next = p->phase[i++].last + 1) {
		const struct vplan_phase *ph = &p->phase[i];

		if (ph->first != next || ph->last < next || ph->last >= m->n_phases) {
			findings_add(list, "phase %u: expected `first` to be %u, and `last` below %zu", i,
				     next, m->n_phases);
			return;
		}
		for (uint32_t q = ph->first + 1; q <= ph->last; q++)
			if (m->phase[q].barrier)
				findings_add(list, "phase %u joins phases of the model over a barrier", i);
	}
	if (next != m->n_phases)
		findings_add(list, "the plan has %u phases, model %zu has %zu", next, k, m->n_phases);
}

void match_models(const struct vplan *p, struct vmodel *m, size_t n, struct findings *list)
{
	uint32_t *seen = need(p->n_threads, sizeof(*seen));
	size_t before = list->n, expected = p->n_inputs ? p->n_inputs : 1;

	if (n != expected)
		findings_add(list, "the plan was made for %zu models, %zu given", expected, n);
	check_sites(p, m, n, list);
	for (size_t k = 0; k < n; k++) {
		uint32_t *number = match_threads(p, &m[k], (uint32_t)k + 1, seen, list);

		renumber(&m[k], number);
		free(number);
		match_phases(p, &m[k], k + 1, list);
	}
	for (size_t i = 0; i < p->n_threads; i++)
		if (!seen[i])
			findings_add(list, "thread %zu of the plan is in no model", i);
	for (size_t k = 0; k < n && list->n == before; k++)
		compare_entries(&m[k], m, n);
	free(seen);
}
