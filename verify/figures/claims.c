/* SPDX-License-Identifier: MIT */
#include "verify/figures/claims.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/figures/breakevens.h"
#include "verify/figures/evidence.h"

static void claims_same(struct findings *list, const char *what, uint64_t said, uint64_t found)
{
	if (said != found)
		findings_add(list, "%s: the plan says %" PRIu64 ", recomputed %" PRIu64, what, said, found);
}

/* Joined phases happen once each, and somebody goes on from one to the next. */
static void check_join(const struct vmodel *m, size_t n_models, const struct vplatform *f,
		       const struct span *all, uint32_t p, struct findings *list)
{
	for (uint32_t q = all->first + 1; q <= all->last; q++) {
		bool goes_on = false;
		struct span s;

		span_make(m, n_models, f, q, q, &s);
		for (size_t i = 0; i < s.n_heavy; i++) {
			const struct vmodel_work *w = s.member[i].entry;

			goes_on |=
				!w->enters && !w->starts && all->member[span_find(all, w->thread)].entry != w;
		}
		if (all->repeats > 1 || s.repeats > 1 || !goes_on)
			findings_add(list, "phase %u joins phases of the model that do not run together", p);
		free(s.member);
	}
}

bool claims_phases(const struct vplan *p, const struct vmodel *m, size_t n_models, const struct vplatform *f,
		   const struct span *span, struct findings *list)
{
	size_t n = list->n;

	for (uint32_t i = 0; i < p->n_phases; i++) {
		const char *name = m->phase[span[i].first].name;

		claims_same(list, "repeats of a phase", p->phase[i].repeats, span[i].repeats);
		if (name && strcmp(name, p->phase[i].name))
			findings_add(list, "phase %u: the plan calls it `%s`, the model `%s`", i,
				     p->phase[i].name, name);
		check_join(m, n_models, f, &span[i], i, list);
	}
	return list->n == n;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void check_text(const char *what, const char *said, const char *found, struct findings *list)
{
	if (!same_text(said, found))
		findings_add(list, "%s: the plan says `%s`, the model `%s`", what, said ? said : "nothing",
			     found ? found : "nothing");
}

void claims_identity(const struct vplan *p, const struct vmodel *m, size_t n_models,
		     const struct vplatform *f, struct findings *list)
{
	for (size_t k = 0; k < n_models; k++) {
		check_text("program", p->program, m[k].program, list);
		check_text("build_id", p->build_id, m[k].build_id, list);
		check_text("sites_sha256", p->sites_sha256, m[k].sites_sha256, list);
	}
	if (!same_text(p->platform_name, f->name))
		findings_add(list, "platform_name: the plan says `%s`, the platform `%s`", p->platform_name,
			     f->name);
	if (!p->cpu && f->cpu)
		findings_add(list, "cpu: the plan has none to check at its start, the platform is `%s`",
			     f->cpu);
}

static void check_turns(const struct vplan *p, const struct result *r, struct findings *list)
{
	for (size_t i = 0; i < p->n_triggers; i++) {
		const struct vplan_trigger *t = &p->trigger[i];

		if (t->at == VPLAN_THREAD_START && !t->thread)
			findings_add(list, "trigger %u: main starts with the program", t->number);
		else if (!r->acted[i].once)
			findings_add(list, "trigger %u never acts in this model", t->number);
		else if (t->at == VPLAN_CALL && !r->acted[i].first)
			findings_add(list, "trigger %u begins at none of the model's visits", t->number);
		else if (t->every && !r->acted[i].again)
			findings_add(list, "trigger %u acts on visits that no run has: `every` is %u",
				     t->number, t->every);
	}
}

void claims_figures(const struct vplan *p, const struct result *r, struct findings *list)
{
	claims_same(list, "time of the baseline in ns", p->base_time, r->base.time);
	claims_same(list, "energy of the baseline in nJ", p->base_energy, r->base.energy / 1000);
	claims_same(list, "time in ns", p->time, r->plan.time);
	claims_same(list, "energy in nJ", p->energy, r->plan.energy / 1000);
	claims_same(list, "largest draw in mW", p->peak, r->plan.draw);
	claims_same(list, "closed-form bound of the time in ns", p->relaxed_time, r->relaxed.time);
	claims_same(list, "closed-form bound of the energy in nJ", p->relaxed_energy,
		    r->relaxed.energy / 1000);
	if (p->deadline && r->plan.time > p->deadline)
		findings_add(list, "the run takes %" PRIu64 " ns, the deadline is %" PRIu64 " ns",
			     r->plan.time, p->deadline);
	if (p->cap && r->plan.draw > p->cap)
		findings_add(list, "the plan draws up to %" PRIu64 " mW, the cap is %" PRIu64 " mW",
			     r->plan.draw, p->cap);
	check_turns(p, r, list);
}

/* ---- places that nothing sets ---- */

static bool is_set(const struct vplan *p)
{
	return vplan_thread_starts(p) || p->n_triggers;
}

static uint32_t first_phase(const struct ground *g, uint32_t thread)
{
	uint32_t p = 0;

	while (p < g->plan->n_phases && span_find(&g->span[p], thread) == g->span[p].n)
		p++;
	return p;
}

/* Where the creator of a thread that begins in phase @begin is then, or was last, or is first. */
static uint32_t creator_core(const struct ground *g, uint32_t creator, uint32_t begin)
{
	uint32_t p = begin < g->plan->n_phases ? begin : 0, core;

	while (p && span_find(&g->span[p], creator) == g->span[p].n)
		p--;
	while (p < g->plan->n_phases && span_find(&g->span[p], creator) == g->span[p].n)
		p++;
	if (p == g->plan->n_phases)
		return VPLAN_NONE;
	core = g->span[p].member[span_find(&g->span[p], creator)].stay[0].core;
	return g->f->core[g->f->core[core].unit].id;
}

/* Where a thread that the plan does not place must be counted in phase @at; VPLAN_NONE: that is the plan's choice. */
static uint32_t free_core(const struct ground *g, const struct vplan_place *base, size_t n, uint32_t t,
			  uint32_t at)
{
	if (!is_set(g->plan))
		return vplan_place(base, n, t, at);
	if (t && t < g->model->n_threads && !g->model->thread[t].plannable)
		return vplan_place(base, n, t, first_phase(g, t));
	if (baselines_follows(g, t))
		return creator_core(g, g->plan->thread[t].creator, first_phase(g, t));
	return VPLAN_NONE;
}

static void check_free(const struct ground *g, const struct vplan_place *base, size_t n,
		       struct findings *list)
{
	const struct vplan *p = g->plan;

	for (size_t i = 0; i < p->n_free_places; i++) {
		const struct vplan_place *at = &p->free_place[i];
		bool set = p->thread[at->thread].core != VPLAN_NONE;
		uint32_t core = set ? VPLAN_NONE : free_core(g, base, n, at->thread, at->phase);

		if (set)
			findings_add(list, "free_places: thread %u is placed by the plan", at->thread);
		else if (core != VPLAN_NONE && core != at->core)
			findings_add(list, "free_places: thread %u is on core %u from phase %u on, not %u",
				     at->thread, core, at->phase, at->core);
	}
}

/* ---- kinds ---- */

static void check_kind(const struct vplan *p, const struct vmodel *m, const struct span *span,
		       struct findings *list)
{
	for (size_t i = 0; p->kind == VPLAN_KIND_PHASE && i < p->n_triggers; i++)
		for (size_t q = 0; p->trigger[i].at == VPLAN_CALL && q < p->n_phases; q++)
			for (size_t k = 0; k < span[q].n && m->phase[span[q].first].call; k++) {
				const struct vmodel_work *w = span[q].member[k].entry;

				if (w->enters && w->thread == p->trigger[i].thread &&
				    w->visit == p->trigger[i].first &&
				    match_site(&p->site[p->trigger[i].site], m, w->site))
					findings_add(
						list,
						"trigger %u: an ordinary call, in a plan of kind `phase`",
						p->trigger[i].number);
			}
}

static void check_reach(const struct vplan *p, struct findings *list)
{
	uint32_t seen = 0;

	for (size_t i = 0; i < p->n_reach; i++) {
		const struct vplan_reach *r = &p->reach[i];
		bool own = r->kind == p->kind && is_set(p);

		if (seen >> r->kind & 1)
			findings_add(list, "kinds: there is a kind twice");
		seen |= 1u << r->kind;
		if (own && (r->time != p->time || r->energy != p->energy))
			findings_add(list, "kinds: what the plan's own kind reaches is not the plan's");
		if (own && r->triggers != vplan_thread_starts(p) + vplan_call_triggers(p))
			findings_add(list, "kinds: the plan sets %zu thread starts and call triggers, not %u",
				     vplan_thread_starts(p) + vplan_call_triggers(p), r->triggers);
		if (!r->triggers && (r->time != p->base_time || r->energy != p->base_energy))
			findings_add(list, "kinds: one that sets nothing is not the baseline");
		if (p->relaxed_time && (r->time < p->relaxed_time || r->energy < p->relaxed_energy) &&
		    r->triggers)
			findings_add(list, "kinds: one reaches what is below the bound");
	}
	if (p->n_reach && is_set(p) && !(seen >> p->kind & 1))
		findings_add(list, "kinds: the plan's own is not there");
}

/* Two evaluators that contradict each other are no ground for setting anything. */
static void check_simulated(const struct vplan *p, struct findings *list)
{
	double x = p->time && p->simulated_time ? (double)p->simulated_time / (double)p->time : 1;

	if (is_set(p) && (x > 1.3 || x < 1 / 1.3))
		findings_add(list, "set, but the block simulator is said to need %.2f times as long", x);
}

void claims_rest(const struct vplan *p, const struct vmodel *m, size_t n_models, const struct vplatform *f,
		 const struct result *r, struct findings *list)
{
	const struct ground g = {p, m, n_models, f, r->span};
	int baseline = baselines_find(p->baseline);
	size_t n = 0;
	struct vplan_place *base = baseline < BASELINES ? baselines_form(&g, baseline, p->seed, &n) : NULL;

	baselines_check(&g, list);
	if (baseline < BASELINES)
		check_free(&g, base, n, list);
	check_kind(p, m, r->span, list);
	check_reach(p, list);
	check_simulated(p, list);
	free(base);
}

void claims_check(const struct vplan *p, struct vmodel *m, size_t n_models, const struct vplatform *f,
		  struct vcost sums[3], struct findings *list)
{
	struct result r = {0};
	size_t n;

	match_files(p, f, m, n_models, list);
	claims_identity(p, m, n_models, f, list);
	n = list->n;
	match_models(p, m, n_models, list);
	if (list->n == n && recompute(p, m, n_models, f, &r, list)) {
		claims_figures(p, &r, list);
		claims_rest(p, m, n_models, f, &r, list);
		evidence_check(&(struct ground){p, m, n_models, f, r.span}, &r, list);
		breakevens_check(&(struct ground){p, m, n_models, f, r.span}, &r, list);
	}
	sums[0] = r.base;
	sums[1] = r.plan;
	sums[2] = r.relaxed;
	result_release(p, &r);
}

/* ---- what is not ---- */

static const char *const unchecked[] = {
	"objective, deadline_ns, cap_mw, phases.deadline_ns, kind, over, baseline, seed: as was asked for",
	"method, evaluations, proven: how the plan was searched, but that they and the bound agree",
	"bound_time_ns, bound_energy_nj: that they are no lower than need be, but what is said above",
	"simulated_time_ns, simulated_energy_nj: the block simulator, but that it is within a factor 1.3",
	"kinds: what plans of other kinds reach, but that it is not below the bound",
	"triggers.number: that the planner would choose it; they ascend",
	"threads.core, triggers.core, triggers.domain, triggers.khz: which of several that cost the same",
	"free_places: where threads are counted that could be placed and are not (main); only what they cost",
	"threads.evidence, triggers.evidence: that no finding is missing; each named one is theirs",
	"threads.reason, triggers.reason: that it is what decided; what it says is so",
};

void claims_print_unchecked(const struct vplan *p)
{
	const bool has[] = {true, true, p->bound_time, p->simulated_time}; /* what lines are about */

	for (size_t i = 0; i < sizeof(unchecked) / sizeof(*unchecked); i++)
		printf("not checked: %s%s\n", unchecked[i], i < 4 && !has[i] ? " (the plan has none)" : "");
	fputs(p->n_regret ? "" : "not checked: regret: the plan has none\n", stdout);
	breakevens_print_unchecked(p);
	if (p->n_inputs)
		puts("not checked: model_sha256, reasons without a core: they are of the models joined");
	for (size_t i = 0; i < p->n_sites; i++)
		if (!strcmp(p->site[i].instance, "*"))
			printf("not checked: sites.instance: site %zu stands for every copy\n", i);
	if (vplan_call_triggers(p) < p->n_triggers)
		puts("not checked: triggers.thread: who sets what is set at a start");
}
