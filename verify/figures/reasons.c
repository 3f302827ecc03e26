/* SPDX-License-Identifier: MIT */
/* The sentences of a plan: each is made again of what is so, and compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/figures/evidence.h"

#define SENTENCE 512
#define LATER    "; later: " /* between the sentences of a trigger that acts for several phases */

/* One sentence of a placement, in phases in which it holds on the turns @turns. */
struct claim {
	const struct setter *x;
	const char *text;
	size_t len;
	unsigned turns; /* as evidence_holds() */
};

static bool says(const struct claim *c, const char *text)
{
	return strlen(text) == c->len && !memcmp(text, c->text, c->len);
}

static bool works(const struct member *m)
{
	return m->cycles || m->memory_ns;
}

/* The thread's member of phase @p if the placement holds there and it has work. */
static const struct member *own(const struct claim *c, uint32_t p)
{
	const struct span *s = &c->x->g->span[p];

	return evidence_holds(c->x, p) & c->turns ? &s->member[span_find(s, c->x->thread)] : NULL;
}

static uint32_t core_of(const struct claim *c, const struct member *m)
{
	return m->stay[c->turns == 2].core;
}

/* ---- shared lines ---- */

static const char *how_far(int distance)
{
	switch (distance) {
	case VDIST_SAME:
		return "both on one core";
	case VDIST_SMT:
	case VDIST_CACHE:
		return "both behind one cache";
	case VDIST_PACKAGE:
		return "both in one package";
	default:
		return "in two packages, where that costs less";
	}
}

static bool is_line(const struct claim *c, const struct vmodel_conflict *f, uint32_t p)
{
	const struct ground *g = c->x->g;
	const struct member *m = own(c, p);
	bool second = f->side[0].thread == c->x->thread;
	const struct vmodel_side *here = &f->side[!second], *there = &f->side[second];
	const char *object = f->object ? f->object : "";
	uint32_t partner = there->thread;
	size_t at = span_find(&g->span[p], partner);
	char *text;
	bool same;

	if (!m || at == g->span[p].n)
		return false;
	if (asprintf(&text, "uses `%s%s%s`%s%s%s on a cache line with `%s%s%s` of %s (thread %u%s%s): %s",
		     object, here->field ? "." : "", here->field ? here->field : "", here->where ? " (" : "",
		     here->where ? here->where : "", here->where ? ")" : "", object, there->field ? "." : "",
		     there->field ? there->field : "", g->plan->thread[partner].name, partner,
		     there->where ? ", " : "", there->where ? there->where : "",
		     how_far(vplatform_distance(g->f, core_of(c, m), core_of(c, &g->span[p].member[at])))) <
	    0)
		return false;
	same = says(c, text);
	free(text);
	return same;
}

static bool uses_line(const struct claim *c)
{
	const struct ground *g = c->x->g;

	for (size_t k = 0; k < g->n_models; k++)
		for (size_t i = 0; i < g->model[k].n_conflicts; i++) {
			const struct vmodel_conflict *f = &g->model[k].conflict[i];

			if (!f->evidence || !evidence_has(c->x->evidence, f->evidence))
				continue;
			for (uint32_t p = 0; p < g->plan->n_phases; p++)
				if (evidence_meets(c->x, &g->model[k], f, p) && is_line(c, f, p))
					return true;
		}
	return false;
}

/* ---- packages that halt ---- */

static bool has_work(const struct ground *g, uint32_t package, uint32_t p, bool base)
{
	for (size_t i = 0; i < g->span[p].n; i++) {
		const struct member *m = &g->span[p].member[i];
		uint32_t core = m->stay[0].core;

		if (base)
			core = vplatform_find(g->f, vplan_place(g->plan->base_place, g->plan->n_base_places,
								m->entry->thread, p));
		if (works(m) && core != VPLATFORM_NONE && g->f->core[core].package == package)
			return true;
	}
	return false;
}

/* Without the placement the package would have work: the thread comes from there, or the baseline has some there. */
static bool would_work(const struct claim *c, uint32_t package, uint32_t p)
{
	const struct ground *g = c->x->g;

	for (uint32_t q = 0; c->x->by && q < g->plan->n_phases; q++) {
		const struct span *s = &g->span[q];
		size_t i = span_find(s, c->x->thread);

		for (int k = 0; k < 2 && i < s->n; k++) {
			const struct stay *at = &s->member[i].stay[k];

			if (at->by == c->x->by && at->before != VPLATFORM_NONE && at->before != at->core &&
			    g->f->core[at->before].package == package)
				return true;
		}
	}
	return !c->x->by && has_work(g, package, p, true);
}

static bool lets_halt(const struct claim *c)
{
	const struct ground *g = c->x->g;
	char text[SENTENCE];

	for (uint32_t k = 0; k < g->f->n_packages; k++) {
		snprintf(text, sizeof(text), "package %u has no work in this phase and can halt", k);
		if (!says(c, text) || !g->f->package[k].halts)
			continue;
		for (uint32_t p = 0; p < g->plan->n_phases; p++)
			if (own(c, p) && works(own(c, p)) &&
			    evidence_has(c->x->evidence, g->plan->phase[p].name) &&
			    !has_work(g, k, p, false) && would_work(c, k, p))
				return true;
	}
	return false;
}

/* ---- company ---- */

/* Does the plan say where the thread is? */
static bool is_placed(const struct vplan *p, uint32_t thread)
{
	bool placed = p->thread[thread].core != VPLAN_NONE;

	for (size_t i = 0; i < p->n_actions; i++)
		placed |= p->action[i].kind == VPLAN_PIN && p->trigger[p->action[i].trigger].thread == thread;
	return placed;
}

struct company {
	uint32_t core, n, thread[2];
	bool elsewhen;
};

static void reasons_meet(const struct claim *c, uint32_t thread, struct company *out)
{
	const struct ground *g = c->x->g;
	bool there = false, together = false;

	for (uint32_t p = 0; p < g->plan->n_phases; p++) {
		const struct member *m = own(c, p);
		size_t at = span_find(&g->span[p], thread);
		const struct member *o = at < g->span[p].n ? &g->span[p].member[at] : NULL;

		if (!o || g->f->core[o->stay[0].core].unit != g->f->core[out->core].unit)
			continue;
		there = true;
		together |= m && works(m) && works(o);
	}
	if (together && out->n < 2)
		out->thread[out->n] = thread;
	out->n += together;
	out->elsewhen |= there && !together;
}

static struct company find_company(const struct claim *c)
{
	const struct vplan *p = c->x->g->plan;
	struct company out = {.core = VPLATFORM_NONE};

	for (uint32_t q = 0; q < p->n_phases && out.core == VPLATFORM_NONE; q++)
		if (own(c, q))
			out.core = core_of(c, own(c, q));
	for (uint32_t t = 0; t < p->n_threads && out.core != VPLATFORM_NONE; t++)
		if (t != c->x->thread && is_placed(p, t))
			reasons_meet(c, t, &out);
	return out;
}

static bool keeps_company(const struct claim *c)
{
	const struct vplan *p = c->x->g->plan;
	struct company a = find_company(c);
	char text[SENTENCE];
	uint32_t id = a.core == VPLATFORM_NONE ? 0 : c->x->g->f->core[a.core].id;

	if (!a.n)
		snprintf(text, sizeof(text), "has core %u to itself%s", id,
			 a.elsewhen ? " while it works: others use it at other times" : "");
	else if (a.n == 1)
		snprintf(text, sizeof(text),
			 "shares core %u with %s (thread %u): their work in turn ends in time", id,
			 p->thread[a.thread[0]].name, a.thread[0]);
	else if (a.n == 2)
		snprintf(text, sizeof(text),
			 "shares core %u with %s (thread %u) and %s (thread %u): "
			 "their work in turn ends in time",
			 id, p->thread[a.thread[0]].name, a.thread[0], p->thread[a.thread[1]].name,
			 a.thread[1]);
	else
		snprintf(text, sizeof(text),
			 "shares core %u with %u other threads: their work in turn ends in time", id, a.n);
	return a.core != VPLATFORM_NONE && says(c, text);
}

static bool is_so(const struct setter *x, const char *text, size_t len)
{
	for (unsigned turns = 1; turns <= 3; turns++) {
		const struct claim c = {x, text, len, turns};

		if (uses_line(&c) || lets_halt(&c) || keeps_company(&c))
			return true;
	}
	return false;
}

void reasons_check_place(const struct setter *x, struct findings *list)
{
	const char *text = x->reason, *next;

	if (!text) {
		findings_add(list, "%s has no reason", x->of);
		return;
	}
	for (; text; text = next ? next + strlen(LATER) : NULL) {
		next = strstr(text, LATER);
		if (!is_so(x, text, next ? (size_t)(next - text) : strlen(text)))
			findings_add(list, "%s: its reason is not so: %s", x->of, text);
	}
}

void reasons_check_step(const struct setter *x, struct findings *list)
{
	static const char *const always[] = {
		"idle cores, or those with time to spare, slow down; cores that are needed speed up",
		"cores that are idle, or have time to spare, draw less at a lower step",
		"cores that were slow are needed at this step from here on",
	};
	const char *objective = x->g->plan->objective;
	bool joules = !strcmp(objective, "energy") || !strcmp(objective, "edp"), known = false;

	for (size_t i = 0; x->reason && i < sizeof(always) / sizeof(*always); i++)
		known |= !strcmp(x->reason, always[i]);
	known |= x->reason &&
		 !strcmp(x->reason, joules ? "cores that work need fewer joules a cycle at a lower step"
					   : "cores that work draw less at a lower step");
	if (!known)
		findings_add(list, "%s: its reason is not so: %s", x->of, x->reason ? x->reason : "none");
}
