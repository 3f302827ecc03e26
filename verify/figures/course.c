/* SPDX-License-Identifier: MIT */
#include "verify/figures/course.h"

static void act(struct course *x, size_t trigger, uint32_t p)
{
	const struct vplan_trigger *t = &x->plan->trigger[trigger];
	bool idle = false;

	for (size_t i = t->action; i < t->action + t->n_actions; i++) {
		const struct vplan_action *a = &x->plan->action[i];
		uint32_t step = vplatform_find_step(x->now->f, a->khz);

		if (a->kind == VPLAN_PIN) {
			uint32_t to = vplatform_find(x->now->f, a->core), *at = &x->now->core[t->thread];

			idle |= *at != VPLATFORM_NONE && to != VPLATFORM_NONE &&
				x->now->f->core[*at].unit == x->now->f->core[to].unit;
			*at = to;
			x->by[t->thread] = (uint32_t)trigger + 1;
		} else if (a->domain < x->now->f->n_domains && step != VPLATFORM_NONE) {
			idle |= x->now->step[a->domain] == step;
			x->now->step[a->domain] = step;
		}
	}
	if (idle)
		findings_add(x->list, "trigger %u sets in phase %u what is set already", t->number, p);
	x->acted[trigger].phase = p;
	x->acted[trigger].once = true;
}

/* Does trigger @t of a thread act when it comes to @w on turn @turn, counted from 0? */
static bool fires(const struct course *x, const struct vplan_trigger *t, const struct vmodel_work *w,
		  bool starts, uint64_t turn)
{
	uint64_t visit = w->visit + turn * w->every;

	if (t->at != VPLAN_CALL)
		return t->at == VPLAN_THREAD_START && starts;
	if (!w->enters || !t->after || !match_site(&x->plan->site[t->site], x->model, w->site))
		return false;
	return visit == t->first || (t->every && visit > t->first && (visit - t->first) % t->every == 0);
}

/* The triggers of a thread that enters phase @p; on later turns all must act alike. */
void course_enter(struct course *x, const struct span *s, uint32_t p, const struct vmodel_work *w,
		  bool starts, bool later)
{
	uint64_t last = s->repeats - 1;

	for (size_t i = 0; i < x->plan->n_triggers; i++) {
		const struct vplan_trigger *t = &x->plan->trigger[i];
		bool now = t->thread == w->thread && fires(x, t, w, starts, later);

		if (later && last > 1 && t->thread == w->thread &&
		    (fires(x, t, w, starts, last) != now || fires(x, t, w, starts, 2) != now))
			findings_add(x->list, "trigger %u acts on some turns of phase %u only", t->number, p);
		if (now)
			act(x, i, p);
		x->acted[i].first |= now && w->visit + later * w->every == t->first;
		x->acted[i].again |= now && later && t->every == w->every;
	}
}

void course_begin(struct course *x)
{
	for (size_t i = 0; i < x->plan->n_triggers; i++)
		if (x->plan->trigger[i].at == VPLAN_PROGRAM_START)
			act(x, i, 0);
}
