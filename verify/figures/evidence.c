/* SPDX-License-Identifier: MIT */
#include "verify/figures/evidence.h"

#include <stdio.h>
#include <string.h>

static bool is_id(const char *text, const char *id, size_t len)
{
	return text && strlen(text) == len && !memcmp(text, id, len);
}

/* Ids are separated by a comma and a blank. */
static const char *next_id(const char *ids)
{
	ids += strcspn(ids, ",");
	return ids + strspn(ids, ", ");
}

bool evidence_has(const char *ids, const char *id)
{
	for (; ids && *ids; ids = next_id(ids))
		if (is_id(id, ids, strcspn(ids, ",")))
			return true;
	return false;
}

unsigned evidence_holds(const struct setter *x, uint32_t p)
{
	const struct span *s = &x->g->span[p];
	size_t i = span_find(s, x->thread);

	if (i == s->n)
		return 0;
	return (s->member[i].stay[0].by == x->by ? 1 : 0) | (s->member[i].stay[1].by == x->by ? 2 : 0);
}

bool evidence_meets(const struct setter *x, const struct vmodel *m, const struct vmodel_conflict *c,
		    uint32_t p)
{
	const struct span *s = &x->g->span[p];
	bool there = false;

	if (c->side[0].thread != x->thread && c->side[1].thread != x->thread)
		return false;
	for (uint32_t q = s->first; q <= s->last; q++)
		there |= vmodel_density(m, c, 0, &m->phase[q]) > 0;
	return there && span_find(s, c->side[0].thread) < s->n && span_find(s, c->side[1].thread) < s->n;
}

static bool sets_core(const struct setter *x)
{
	const struct vplan *p = x->g->plan;
	const struct vplan_trigger *t = x->by ? &p->trigger[x->by - 1] : NULL;
	bool pin = !t;

	for (size_t i = 0; t && i < t->n_actions; i++)
		pin |= p->action[t->action + i].kind == VPLAN_PIN;
	return pin;
}

/* Is the finding of the placement's thread where it holds, or the phase one of those? */
static bool is_ground(const struct setter *x, const char *id, size_t len, bool *known)
{
	bool found = false;

	for (uint32_t p = 0; p < x->g->plan->n_phases; p++) {
		bool here = sets_core(x) ? evidence_holds(x, p) : x->r->acted[x->by - 1].phase == p;

		for (size_t k = 0; k < x->g->n_models; k++)
			for (size_t i = 0; i < x->g->model[k].n_conflicts; i++) {
				const struct vmodel_conflict *c = &x->g->model[k].conflict[i];

				if (!is_id(c->evidence, id, len))
					continue;
				*known = true;
				found |= here && evidence_meets(x, &x->g->model[k], c, p);
			}
		*known |= is_id(x->g->plan->phase[p].name, id, len);
		found |= here && is_id(x->g->plan->phase[p].name, id, len);
	}
	return found;
}

static void check_ids(const struct setter *x, struct findings *list)
{
	for (const char *id = x->evidence; id && *id; id = next_id(id)) {
		size_t len = strcspn(id, ",");
		int shown = len < 80 ? (int)len : 80;
		bool known = false;

		if (is_ground(x, id, len, &known))
			continue;
		if (known)
			findings_add(list,
				     "%s rests on `%.*s`, which is about other threads or another phase",
				     x->of, shown, id);
		else
			findings_add(list, "%s rests on `%.*s`, which is no finding or phase of the model%s",
				     x->of, shown, id, x->g->n_models == 1 ? "" : "s");
	}
}

static void check_trigger(struct setter *x, const struct vplan_trigger *t, struct findings *list)
{
	const struct acted *a = &x->r->acted[x->by - 1];

	if (!a->once)
		return;
	check_ids(x, list);
	if ((t->at == VPLAN_CALL || !sets_core(x)) &&
	    !evidence_has(x->evidence, x->g->plan->phase[a->phase].name))
		findings_add(list, "%s acts for `%s`, on which it does not rest", x->of,
			     x->g->plan->phase[a->phase].name);
	if (sets_core(x))
		reasons_check_place(x, list);
	else
		reasons_check_step(x, list);
}

/* A thread that the plan does not place: why, by the model. */
static void check_left(const struct ground *g, uint32_t i, struct findings *list)
{
	const struct vplan_thread *t = &g->plan->thread[i];
	const char *reason = i < g->model->n_threads ? g->model->thread[i].reason : NULL;

	if (t->evidence)
		findings_add(list, "thread %u of the plan has evidence, but no core", i);
	if (g->n_models == 1 && (!t->reason != !reason || (reason && strcmp(t->reason, reason))))
		findings_add(list, "thread %u of the plan: its reason is not that of the model", i);
}

void evidence_check(const struct ground *g, const struct result *r, struct findings *list)
{
	const struct vplan *p = g->plan;
	char of[64];

	for (uint32_t i = 0; i < p->n_threads; i++) {
		const struct vplan_thread *t = &p->thread[i];
		struct setter x = {g, r, i, 0, t->evidence, t->reason, of};

		snprintf(of, sizeof(of), "thread %u of the plan", i);
		if (t->core == VPLAN_NONE) {
			check_left(g, i, list);
			continue;
		}
		check_ids(&x, list);
		reasons_check_place(&x, list);
	}
	for (uint32_t i = 0; i < p->n_triggers; i++) {
		const struct vplan_trigger *t = &p->trigger[i];
		struct setter x = {g, r, t->thread, i + 1, t->evidence, t->reason, of};

		snprintf(of, sizeof(of), "trigger %04u of the plan", (unsigned)t->number);
		check_trigger(&x, t, list);
	}
}
