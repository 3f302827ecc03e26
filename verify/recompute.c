/* SPDX-License-Identifier: MIT */
/* The plan's figures against those computed again. */
#include "verify/recompute.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void same(struct findings *list, const char *what, uint64_t said, uint64_t found)
{
	if (said != found)
		findings_add(list, "%s: the plan says %" PRIu64 ", recomputed %" PRIu64, what, said, found);
}

/* The thread instances of plan and model are the same. */
static void check_threads(const struct vplan *p, const struct vmodel *m, struct findings *list)
{
	if (p->n_threads != m->n_threads)
		findings_add(list, "the plan has %zu threads, the model %zu", p->n_threads, m->n_threads);
	for (size_t i = 0; i < p->n_threads && i < m->n_threads; i++)
		if (strcmp(p->thread[i].name, m->thread[i].name) ||
		    p->thread[i].creator != m->thread[i].creator ||
		    p->thread[i].ordinal != m->thread[i].ordinal)
			findings_add(list, "thread %zu of the plan is not that of the model", i);
}

/* Does a thread that matters in both go on from @s into the phase behind it? */
static bool goes_on(const struct vmodel *m, const struct vplatform *f, const struct span *s)
{
	struct span next;
	bool found = false;

	span_make(m, f, s->last + 1, s->last + 1, &next);
	for (size_t i = 0; i < next.n_heavy; i++)
		for (size_t k = 0; k < s->n; k++) {
			const struct vmodel_work *w = next.member[i].entry;

			found |= s->member[k].thread == w->thread && !w->enters && !w->starts;
		}
	free(next.member);
	return found;
}

/* Joined phases happen once each, no barrier is among their boundaries, somebody goes on over each. */
static void check_join(const struct run *x, uint32_t p, const struct span *s)
{
	const struct vmodel_phase *ph = x->model->phase;

	same(x->list, "repeats of a phase", x->plan->phase[p].repeats, s->repeats);
	for (uint32_t q = s->first; q < s->last; q++) {
		struct span before;

		span_make(x->model, x->platform, s->first, q, &before);
		if (ph[q + 1].barrier)
			findings_add(x->list, "phase %u joins phases of the model over a barrier", p);
		if (ph[q].repeats > 1 || ph[q + 1].repeats > 1 || !goes_on(x->model, x->platform, &before))
			findings_add(x->list, "phase %u joins phases of the model that do not run together",
				     p);
		free(before.member);
	}
}

/* The model's chain of phases is covered once and in order; false if nothing can be recomputed. */
static bool make_spans(struct run *x)
{
	uint32_t next = 0;

	for (uint32_t p = 0; p < x->plan->n_phases; p++) {
		const struct vplan_phase *ph = &x->plan->phase[p];

		if (ph->first != next ||
		    !span_make(x->model, x->platform, ph->first, ph->last, &x->span[p])) {
			findings_add(x->list, "phase %u: expected `first` to be %u, and `last` below %zu", p,
				     next, x->model->n_phases);
			return false;
		}
		check_join(x, p, &x->span[p]);
		next = ph->last + 1;
	}
	if (next != x->model->n_phases)
		findings_add(x->list, "the plan's phases cover %u of %zu phases of the model", next,
			     x->model->n_phases);
	return next == x->model->n_phases;
}

struct sum {
	struct vcost total;
	wide states; /* of all units */
};

static void add(struct run *x, uint32_t p, bool later, const struct vcost *c, uint64_t passage, void *ctx)
{
	const struct vplan_phase *ph = &x->plan->phase[p];
	uint64_t times = later ? ph->repeats - 1 : 1;
	struct sum *s = ctx;
	char what[48];

	s->total.time += (c->time + passage) * times;
	s->total.energy += (c->energy + passage * c->draw) * times;
	s->total.draw = c->draw > s->total.draw ? c->draw : s->total.draw;
	s->states += (x->states + (wide)passage * x->platform->n_units) * times;
	if (x->base)
		return;
	snprintf(what, sizeof(what), "phase %u, %s", p, "time in ns");
	same(x->list, what, ph->time, c->time);
	snprintf(what, sizeof(what), "phase %u, %s", p, "energy in nJ");
	same(x->list, what, ph->energy, c->energy / 1000);
	snprintf(what, sizeof(what), "phase %u, %s", p, "draw in mW");
	same(x->list, what, ph->peak, c->draw);
	if (ph->deadline && c->time + passage > ph->deadline)
		findings_add(x->list, "phase %u takes %" PRIu64 " ns, its deadline is %" PRIu64 " ns", p,
			     c->time + passage, ph->deadline);
}

static struct vcost run_once(struct run *x)
{
	struct sum s = {0};

	x->core = need(x->model->n_threads, sizeof(*x->core));
	x->step = need(x->platform->n_domains, sizeof(*x->step));
	memset(x->core, 0xff, x->model->n_threads * sizeof(*x->core));
	replay(x, add, &s);
	if (s.states != (wide)s.total.time * x->platform->n_units)
		findings_add(x->list, "busy, idle and halted time do not add up to cores x run time");
	free(x->core);
	free(x->step);
	return s.total;
}

static void run_both(struct run *x, struct result *out)
{
	const struct vplan *p = x->plan;
	bool os = !strcmp(p->baseline, "os");

	*x = (struct run){.plan = p,
			  .model = x->model,
			  .platform = x->platform,
			  .list = x->list,
			  .span = x->span,
			  .used = x->used,
			  .place = p->base_place,
			  .n_places = p->n_base_places,
			  .moved = os,
			  .base = true};
	out->base = run_once(x);
	x->base = false;
	x->acts = vplan_thread_starts(p) || p->n_triggers;
	x->moved = os && !x->acts;
	x->place = p->free_place;
	x->n_places = p->n_free_places;
	out->plan = run_once(x);
	for (size_t i = 0; i < p->n_triggers; i++)
		if (!x->used[i])
			findings_add(x->list, "trigger %u never acts in this model", p->trigger[i].number);
}

static void compare(const struct vplan *p, const struct result *r, struct findings *list)
{
	same(list, "time of the baseline in ns", p->base_time, r->base.time);
	same(list, "energy of the baseline in nJ", p->base_energy, r->base.energy / 1000);
	same(list, "time in ns", p->time, r->plan.time);
	same(list, "energy in nJ", p->energy, r->plan.energy / 1000);
	same(list, "largest draw in mW", p->peak, r->plan.draw);
	same(list, "closed-form bound of the time in ns", p->relaxed_time, r->relaxed.time);
	same(list, "closed-form bound of the energy in nJ", p->relaxed_energy, r->relaxed.energy / 1000);
	if (p->deadline && r->plan.time > p->deadline)
		findings_add(list, "the run takes %" PRIu64 " ns, the deadline is %" PRIu64 " ns",
			     r->plan.time, p->deadline);
	if (p->cap && r->plan.draw > p->cap)
		findings_add(list, "the plan draws up to %" PRIu64 " mW, the cap is %" PRIu64 " mW",
			     r->plan.draw, p->cap);
}

void recompute(const struct vplan *p, const struct vmodel *m, const struct vplatform *f, struct result *out,
	       struct findings *list)
{
	struct run x = {.plan = p, .model = m, .platform = f, .list = list};
	size_t n = list->n;

	*out = (struct result){0};
	x.span = need(p->n_phases, sizeof(*x.span));
	x.used = need(p->n_triggers, sizeof(*x.used));
	check_threads(p, m, list);
	if (list->n == n && make_spans(&x)) {
		for (uint32_t i = 0; i < p->n_phases; i++) {
			struct vcost c = relaxed_cost(f, &x.span[i]);

			out->relaxed.time += c.time * x.span[i].repeats;
			out->relaxed.energy += c.energy * x.span[i].repeats;
		}
		run_both(&x, out);
		compare(p, out, list);
	}
	for (size_t i = 0; i < p->n_phases; i++)
		free(x.span[i].member);
	free(x.span);
	free(x.used);
}
