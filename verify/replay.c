/* SPDX-License-Identifier: MIT */
/* The run, phase by phase: where threads go and which steps are set, by what the plan says. */
#include <stdlib.h>
#include <string.h>

#include "verify/recompute.h"

static const struct vmodel_work *entry_of(const struct span *s, uint32_t thread)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->member[i].thread == thread)
			return s->member[i].entry->enters ? s->member[i].entry : NULL;
	return NULL;
}

/* Do the visits of some call site say that @a is over, with all its repeats, before @b begins? */
static bool in_sequence(const struct span *a, const struct span *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct vmodel_work *y = entry_of(b, b->member[i].thread);
		const struct vmodel_work *x = y ? entry_of(a, y->thread) : NULL;

		if (x && x->site == y->site &&
		    y->visit > x->visit + (a->repeats - 1) * (x->every ? x->every : 1))
			return true;
	}
	return false;
}

/* Phases [p, end) take turns: as many repeats each, none over before the next begins. */
static uint32_t loop_end(const struct run *x, uint32_t p)
{
	uint32_t end = p + 1;

	while (x->span[p].repeats > 1 && end < x->plan->n_phases &&
	       x->span[end].repeats == x->span[p].repeats && !in_sequence(&x->span[end - 1], &x->span[end]))
		end++;
	return end;
}

/* The last place of @thread that begins by @phase; VPLATFORM_NONE: none is said. */
static uint32_t place_of(const struct run *x, uint32_t thread, uint32_t phase)
{
	size_t low = 0, high = x->n_places;

	while (low < high) {
		size_t mid = (low + high) / 2;
		const struct vplan_place *p = &x->place[mid];

		if (p->thread < thread || (p->thread == thread && p->phase <= phase))
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || x->place[low - 1].thread != thread)
		return VPLATFORM_NONE;
	return vplatform_find(x->platform, x->place[low - 1].core);
}

static void act(struct run *x, size_t trigger, uint32_t thread)
{
	for (size_t i = 0; i < x->plan->n_actions; i++) {
		const struct vplan_action *a = &x->plan->action[i];

		if (a->trigger != trigger)
			continue;
		if (a->kind == VPLAN_PIN)
			x->core[thread] = vplatform_find(x->platform, a->core);
		for (uint32_t s = 0;
		     a->kind == VPLAN_STEP && a->domain < x->platform->n_domains && s < x->platform->n_steps;
		     s++)
			if (x->platform->step[s].khz == a->khz)
				x->step[a->domain] = s;
	}
	x->used[trigger] = true;
}

/* Does trigger @t act when @w is entered on turn @turn, counted from 0? */
static bool fires(const struct run *x, const struct vplan_trigger *t, const struct vmodel_work *w,
		  uint64_t turn)
{
	const struct vplan_site *s = &x->plan->site[t->site];
	uint64_t visit = w->visit + turn * w->every;

	if (!w->enters || strcmp(s->id, x->model->site[w->site].id) ||
	    (strcmp(s->instance, "*") && strcmp(s->instance, x->model->site[w->site].instance)))
		return false;
	return visit == t->first || (t->every && visit > t->first && (visit - t->first) % t->every == 0);
}

/* The triggers of a member that enters phase @p; on later turns all must act alike. */
static void act_on_entry(struct run *x, uint32_t p, const struct member *m, bool starts, bool later)
{
	uint64_t last = x->span[p].repeats - 1;

	for (size_t i = 0; i < x->plan->n_triggers; i++) {
		const struct vplan_trigger *t = &x->plan->trigger[i];
		bool now;

		if (t->thread != m->thread || t->at == VPLAN_PROGRAM_START)
			continue;
		now = t->at == VPLAN_CALL ? fires(x, t, m->entry, later) : starts;
		if (t->at == VPLAN_CALL && later && last > 1 &&
		    (fires(x, t, m->entry, last) != now || fires(x, t, m->entry, 2) != now))
			findings_add(x->list, "trigger %u acts on some turns of phase %u only", t->number, p);
		if (now)
			act(x, i, m->thread);
	}
}

/* A member goes where it has to be in phase @p; the time it takes for it, ns. */
static uint64_t arrive(struct run *x, uint32_t p, const struct member *m, bool later)
{
	const struct vplatform *f = x->platform;
	uint32_t old = x->core[m->thread], place = place_of(x, m->thread, p);
	uint32_t start = x->acts ? x->plan->thread[m->thread].core : VPLAN_NONE;

	if (place != VPLATFORM_NONE)
		x->core[m->thread] = place;
	else if (old == VPLATFORM_NONE && start != VPLAN_NONE)
		x->core[m->thread] = vplatform_find(f, start);
	if (x->acts)
		act_on_entry(x, p, m, old == VPLATFORM_NONE, later);
	if (x->core[m->thread] == VPLATFORM_NONE) {
		findings_add(x->list, "thread %u: the plan does not say where it is in phase %u", m->thread,
			     p);
		x->core[m->thread] = f->first;
	}
	if (old == VPLATFORM_NONE)
		return start != VPLAN_NONE || !m->thread ? f->trigger_ns + f->affinity_ns + f->longest_move_ns
							 : 0;
	if (f->core[old].unit == f->core[x->core[m->thread]].unit)
		return 0;
	return f->trigger_ns + f->affinity_ns + vplatform_move_ns(f, old, x->core[m->thread]);
}

/* Everybody waits for the slowest mover, then for all changes of frequency in turn. */
static uint64_t passage_ns(struct run *x, uint32_t p, bool later)
{
	const struct vplatform *f = x->platform;
	uint32_t *before = need(f->n_domains, sizeof(*before));
	uint64_t slowest = 0, changes = 0;

	memcpy(before, x->step, f->n_domains * sizeof(*before));
	for (size_t i = 0; x->acts && !p && !later && i < x->plan->n_triggers; i++)
		if (x->plan->trigger[i].at == VPLAN_PROGRAM_START)
			act(x, i, 0);
	for (size_t i = 0; i < x->span[p].n; i++) {
		uint64_t ns = arrive(x, p, &x->span[p].member[i], later);

		slowest = ns > slowest ? ns : slowest;
	}
	for (uint32_t d = 0; d < f->n_domains; d++)
		changes += before[d] != x->step[d];
	free(before);
	return x->acts ? slowest + (changes ? changes * f->frequency_ns + f->trigger_ns : 0) : 0;
}

void replay(struct run *x, replay_each *each, void *ctx)
{
	uint32_t end;

	for (uint32_t p = 0; p < x->plan->n_phases; p = end) {
		end = loop_end(x, p);
		for (int later = 0; later < (x->span[p].repeats > 1 ? 2 : 1); later++)
			for (uint32_t q = p; q < end; q++) {
				uint64_t ns = passage_ns(x, q, later);
				struct vcost c = fluid_cost(x, &x->span[q]);

				each(x, q, later, &c, ns, ctx);
			}
	}
}
