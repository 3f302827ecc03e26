/* SPDX-License-Identifier: MIT */
#include "verify/bound/bound.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One phase, all placements of the members that matter. */
struct looking {
	const struct vplatform *f;
	struct span *s;
	struct moment now;
	uint32_t *users; /* by core: members that are there */
	bool energy;
	uint64_t best, *looked; /* ns or pJ */
};

/* Costs that no member and no step distinguish: another package member of the same kind, with its own clock. */
static bool alike(const struct vplatform *f, uint32_t a, uint32_t b)
{
	if (f->core[a].package != f->core[b].package)
		return false;
	for (uint32_t c = 0; c < f->n_cores; c++) {
		if (f->core[c].unit != c || c == a || c == b)
			continue;
		if (vplatform_distance(f, a, c) != vplatform_distance(f, b, c) ||
		    (f->core[c].domain == f->core[a].domain) != (f->core[c].domain == f->core[b].domain))
			return false;
	}
	return true;
}

/* An empty unit before @u is like it: what stands on @u would cost there what it costs here. */
static bool stands_for(const struct looking *x, uint32_t u)
{
	for (uint32_t a = 0; a < u; a++)
		if (x->f->core[a].unit == a && !x->users[a] && alike(x->f, a, u))
			return true;
	return false;
}

static bool enough(const struct looking *x)
{
	return *x->looked > BOUND_MOST;
}

/* All steps of domains @d and later. */
static void look_at_steps(struct looking *x, uint32_t d)
{
	struct vcost c;
	uint64_t figure;

	for (uint32_t s = 0; d < x->f->n_domains && s < x->f->n_steps && !enough(x); s++) {
		x->now.step[d] = s;
		look_at_steps(x, d + 1);
	}
	if (d < x->f->n_domains || enough(x))
		return;
	++*x->looked;
	c = fluid_cost(&x->now, x->s);
	figure = x->energy ? c.energy : c.time;
	x->best = figure < x->best ? figure : x->best;
}

/* All places of members @i and later. */
static void look_at_places(struct looking *x, size_t i)
{
	if (i == x->s->n_heavy) {
		look_at_steps(x, 0);
		return;
	}
	for (uint32_t u = 0; u < x->f->n_cores && !enough(x); u++) {
		if (x->f->core[u].unit != u || (!x->users[u] && stands_for(x, u)))
			continue;
		x->now.core[x->s->member[i].entry->thread] = u;
		x->users[u]++;
		look_at_places(x, i + 1);
		x->users[u]--;
	}
}

/* The least that an occurrence of a phase costs, ns or pJ; what does not matter there is taken to do nothing. */
static uint64_t least(const struct vplan *p, const struct vplatform *f, struct span *s, bool energy,
		      uint64_t *looked)
{
	struct looking x = {.f = f, .s = s, .energy = energy, .best = UINT64_MAX, .looked = looked};

	for (size_t i = s->n_heavy; i < s->n; i++)
		s->member[i].cycles = s->member[i].memory_ns = 0;
	x.now = (struct moment){.f = f};
	x.now.core = need(p->n_threads, sizeof(*x.now.core));
	x.now.step = need(f->n_domains, sizeof(*x.now.step));
	x.users = need(f->n_cores, sizeof(*x.users));
	for (size_t t = 0; t < p->n_threads; t++)
		x.now.core[t] = f->first;
	look_at_places(&x, 0);
	free(x.now.core);
	free(x.now.step);
	free(x.users);
	return x.best;
}

/* What thread @t does in @s is bound to where it was before: it matters there, and does not come by a call. */
static bool is_bound(const struct vplan *p, const struct span *s, uint32_t t)
{
	size_t k = span_find(s, t);

	if (k >= s->n_heavy)
		return false;
	return !s->member[k].entry->enters || s->repeats > 1 || p->kind != VPLAN_KIND_CALL;
}

/* Placements of each phase alone are one of the whole: nobody is bound by another phase, and all can be placed. */
static bool free_phases(const struct vplan *p, const struct vmodel *m, const struct span *s)
{
	for (uint32_t i = 0; i < p->n_phases; i++)
		for (size_t k = 0; k < s[i].n_heavy; k++) {
			uint32_t t = s[i].member[k].entry->thread;

			if (!m->thread[t].plannable)
				return false;
			for (uint32_t q = i + 1; q < p->n_phases; q++)
				if (is_bound(p, &s[q], t))
					return false;
		}
	return true;
}

/* What @p is asked for leaves the bound of its figure as it is. */
static const char *other_bound(const struct vplan *p, size_t n_models)
{
	if (n_models > 1)
		return "the plan is for several models";
	if (p->deadline || p->cap)
		return "the plan has to keep to a deadline or a cap";
	for (uint32_t i = 0; i < p->n_phases; i++)
		if (p->phase[i].deadline)
			return "a phase has to keep to a deadline";
	return p->bound_time ? NULL : "the plan names none";
}

/* How the plan was searched, and what was proven by it. */
static void check_method(const struct vplan *p, struct findings *list)
{
	static const char *const exact[] = {"exact", "exact per phase + shortest path", "exact front",
					    "weighted inputs"};
	static const char *const others[] = {"genetic", "front by local search", "none"};
	size_t n = p->method ? strcspn(p->method, ",") : 0;
	bool proves = !p->method, named = !p->method;

	for (size_t i = 0; p->method && i < sizeof(exact) / sizeof(*exact); i++)
		proves |= strlen(exact[i]) == n && !strncmp(p->method, exact[i], n);
	for (size_t i = 0; p->method && i < sizeof(others) / sizeof(*others); i++)
		named |= strlen(others[i]) == n && !strncmp(p->method, others[i], n);
	if ((!proves && !named) || (p->method && p->method[n] && strcmp(p->method + n, ", interrupted")))
		findings_add(list, "method: the planner has none called `%s`", p->method);
	else if (p->proven && !proves)
		findings_add(list, "proven: the method `%s` does not look at all placements", p->method);
}

/* A bound is no lower than the closed form, and no baseline with fixed places that a plan could have takes less. */
static void check_limits(const struct vplan *p, const struct vmodel *m, bool energy, struct findings *list)
{
	const char *name = energy ? "bound_energy_nj" : "bound_time_ns";
	uint64_t said = energy ? p->bound_energy : p->bound_time, most = energy ? p->energy : p->time;
	uint64_t closed = energy ? p->relaxed_energy : p->relaxed_time;
	size_t n = p->n_regret;

	for (size_t t = 1; t < m->n_threads; t++)
		n = m->thread[t].plannable ? n : 0;
	if (said && said < closed && said < most)
		findings_add(list, "%s: the plan says %" PRIu64 ", the closed form %" PRIu64, name, said,
			     closed);
	for (size_t i = 0; i <= n; i++) {
		const struct vplan_regret own = {p->baseline, p->base_time, p->base_energy};
		const struct vplan_regret *r = i < n ? &p->regret[i] : &own;
		uint64_t took = energy ? r->energy : r->time;

		if (strcmp(r->baseline, "os") && said > took && (i < n || !n))
			findings_add(list, "%s: the plan says %" PRIu64 ", the baseline `%s` takes %" PRIu64,
				     name, said, r->baseline, took);
	}
}

struct bound_answer bound_check(const struct vplan *p, const struct vmodel *m, size_t n_models,
				const struct vplatform *f, struct findings *list)
{
	struct bound_answer a = {BOUND_OPEN, NULL, 0};
	bool energy = !strcmp(p->objective, "energy"), all;
	uint64_t said = energy ? p->bound_energy : p->bound_time, most = energy ? p->energy : p->time;
	struct span *s;
	wide sum = 0;

	if (list->n || !n_models)
		return (struct bound_answer){BOUND_NONE, NULL, 0};
	a.why = other_bound(p, n_models);
	for (int i = 0; i < 2 && !a.why; i++)
		check_limits(p, m, i, list);
	if (strcmp(p->objective, "time") && !energy)
		return (struct bound_answer){BOUND_NONE, NULL, 0};
	check_method(p, list);
	s = need(p->n_phases, sizeof(*s));
	for (uint32_t i = 0; i < p->n_phases; i++)
		span_make(m, n_models, f, p->phase[i].first, p->phase[i].last, &s[i]);
	all = free_phases(p, m, s);
	for (uint32_t i = 0; i < p->n_phases && !a.why; i++) {
		sum += (wide)least(p, f, &s[i], energy, &a.looked) * s[i].repeats;
		if (a.looked > BOUND_MOST)
			a.why = "there are too many placements and steps";
	}
	for (uint32_t i = 0; i < p->n_phases; i++)
		free(s[i].member);
	free(s);
	if (a.why)
		return a;
	sum = energy ? sum / 1000 : sum;
	sum = sum > most ? most : sum; /* where the system moves threads it may do better than fixed places */
	if (all && (said > sum || (said < sum && p->proven)))
		findings_add(list,
			     "%s: the plan says %" PRIu64 "%s, the best placement of all takes %" PRIu64,
			     energy ? "bound_energy_nj" : "bound_time_ns", said,
			     said > sum ? "" : ", and that it is proven", (uint64_t)sum);
	a.why = "each phase alone may take less";
	a.verdict = said > sum ? BOUND_OPEN : all && said == sum ? BOUND_EXACT : BOUND_BELOW;
	return a;
}

void bound_print(const struct bound_answer *a, double closed, double tight)
{
	if (a->verdict == BOUND_NONE)
		return;
	printf("bound: at most %.2f %%, in closed form, confirmed; the planner's tighter bound,\n  %.2f %%, ",
	       closed, tight);
	if (a->verdict == BOUND_OPEN)
		printf("is not independently checked: %s\n", a->why);
	else
		printf("is confirmed: of %" PRIu64 " placements and steps none takes less%s\n", a->looked,
		       a->verdict == BOUND_EXACT ? ", and one just that" : "");
}
