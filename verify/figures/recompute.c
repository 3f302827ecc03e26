/* SPDX-License-Identifier: MIT */
/* The run, phase by phase, by what the plan says. */
#include "verify/figures/claims.h"
#include "verify/figures/course.h"
#include "verify/figures/whatif.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A run of the plan, or of its baseline, with all models at once. */
struct run {
	const struct vplan *plan;
	const struct vmodel *model;
	size_t n_models, n_places;
	struct findings *list;
	struct moment now;
	struct span *span;               /* by phase of the plan: all models together */
	const struct vplan_place *place; /* of threads that no trigger places */
	bool base, acts;                 /* the baseline's run; triggers act */
	struct course course;            /* what triggers have done */
	struct vcost *total, relaxed;    /* by model; of all together */
};

uint64_t work_ns(const struct vplatform *f, const struct member *m, size_t step)
{
	wide ns = ((wide)m->cycles * 1000000 + f->step[step].khz - 1) / f->step[step].khz;

	if (step && f->memory_asked != f->memory_is)
		return whatif_work_ns(f, m, step);
	return ns > UINT64_MAX / 4 ? UINT64_MAX / 4 : (uint64_t)ns + m->memory_ns;
}

/* All work before that under locks, which goes by lock; the most first; ties by thread. */
static int recompute_compare(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->entry->lock != y->entry->lock)
		return x->entry->lock < y->entry->lock ? 1 : -1;
	if (x->top_ns != y->top_ns)
		return x->top_ns < y->top_ns ? 1 : -1;
	return (x->entry->thread > y->entry->thread) - (x->entry->thread < y->entry->thread);
}

static void add_work(struct span *s, const struct vmodel_work *w)
{
	size_t i = 0;

	while (i < s->n_all &&
	       (s->member[i].entry->thread != w->thread || s->member[i].entry->lock != w->lock))
		i++;
	if (i == s->n_all) {
		s->member = need_more(s->member, s->n_all, sizeof(*s->member));
		s->member[s->n_all++] = (struct member){.entry = w};
		s->n += w->lock == VMODEL_ALL;
	}
	s->member[i].cycles += w->cycles;
	s->member[i].memory_ns += w->memory_ns;
}

/* The last ones that together have at most 1 % of the longest one's work do not matter. */
static void recompute_weigh(const struct vplatform *f, struct span *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->n_all; i++)
		s->member[i].top_ns = work_ns(f, &s->member[i], 0);
	qsort(s->member, s->n_all, sizeof(*s->member), recompute_compare);
	for (s->n_heavy = s->n; s->n_heavy; s->n_heavy--) {
		sum += s->member[s->n_heavy - 1].top_ns;
		if (sum && sum > s->member[0].top_ns / 100)
			break;
	}
}

bool span_make(const struct vmodel *m, size_t n, const struct vplatform *f, uint32_t first, uint32_t last,
	       struct span *s)
{
	*s = (struct span){.model = m, .first = first, .last = last};
	for (size_t k = 0; k < n; k++) {
		if (last >= m[k].n_phases)
			return false;
		s->repeats = m[k].phase[first].repeats > s->repeats ? m[k].phase[first].repeats : s->repeats;
	}
	for (uint32_t p = first; p <= last; p++)
		for (size_t k = 0; k < n; k++)
			for (size_t i = 0; i < m[k].phase[p].n_all; i++)
				add_work(s, &m[k].phase[p].work[i]);
	recompute_weigh(f, s);
	return true;
}

size_t span_find(const struct span *s, uint32_t thread)
{
	size_t i = 0;

	while (i < s->n && s->member[i].entry->thread != thread)
		i++;
	return i;
}

/* Do the visits of some call site say that @a is over, with all its repeats, before @b begins? */
static bool in_sequence(const struct span *a, const struct span *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct vmodel_work *y = b->member[i].entry;
		size_t k = span_find(a, y->thread);
		const struct vmodel_work *x = k < a->n ? a->member[k].entry : y;

		if (x->enters && y->enters && x->site == y->site &&
		    y->visit > x->visit + (a->repeats - 1) * (x->every ? x->every : 1))
			return true;
	}
	return false;
}

/* Does some call site show @b between two turns of @a? */
static bool in_between(const struct span *a, const struct span *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct vmodel_work *y = b->member[i].entry;
		size_t k = span_find(a, y->thread);
		const struct vmodel_work *x = k < a->n ? a->member[k].entry : y;

		if (x->enters && y->enters && x->site == y->site && y->visit > x->visit &&
		    y->visit < x->visit + x->every)
			return true;
	}
	return false;
}

/*
 * Phases [p, end) take turns: as many repeats each, none over before the next begins.  If the
 * last turn ends early, those behind that point have one repeat less; of a single repeat a call
 * site has to show that it is inside.
 */
static uint32_t loop_end(const struct run *x, uint32_t p)
{
	uint64_t all = x->span[p].repeats;
	uint32_t end = p + 1;

	for (; all > 1 && end < x->plan->n_phases; end++) {
		const struct span *last = &x->span[end - 1], *next = &x->span[end];
		bool less = next->repeats + 1 == all && (all > 2 || in_between(&x->span[p], next));

		if (in_sequence(last, next) || !(less || (next->repeats == all && last->repeats == all)))
			break;
	}
	return end;
}

/* A thread goes where it has to be in phase @p; the time it takes for it. */
static uint64_t arrive(struct run *x, uint32_t p, const struct vmodel_work *w, bool later)
{
	const struct vplatform *f = x->now.f;
	uint32_t *core = &x->now.core[w->thread], old = *core;
	uint32_t start = x->acts ? x->plan->thread[w->thread].core : VPLAN_NONE;
	uint32_t place = vplan_place(x->place, x->n_places, w->thread, p);

	if (place != VPLAN_NONE || old == VPLATFORM_NONE)
		*core = vplatform_find(f, place != VPLAN_NONE ? place : start);
	if (x->acts)
		course_enter(&x->course, &x->span[p], p, w, old == VPLATFORM_NONE, later);
	if (*core == VPLATFORM_NONE) {
		findings_add(x->list, "thread %u: the plan does not say where it is in phase %u", w->thread,
			     p);
		*core = f->first;
	}
	if (old == VPLATFORM_NONE ? start == VPLAN_NONE && w->thread
				  : f->core[old].unit == f->core[*core].unit)
		return 0;
	return f->trigger_ns + f->affinity_ns +
	       (old == VPLATFORM_NONE ? f->longest_move_ns : vplatform_move_ns(f, old, *core));
}

/* Everybody waits for the slowest mover, then for all changes of frequency in turn. */
static uint64_t passage_ns(struct run *x, uint32_t p, bool later)
{
	const struct vplatform *f = x->now.f;
	uint32_t *before = need(f->n_domains, sizeof(*before));
	uint64_t slowest = 0, changes = 0;

	memcpy(before, x->now.step, f->n_domains * sizeof(*before));
	if (x->acts && !p && !later)
		course_begin(&x->course);
	for (size_t i = 0; i < x->span[p].n; i++) {
		struct member *m = &x->span[p].member[i];
		struct stay stay = {.before = x->now.core[m->entry->thread]};
		uint64_t ns = arrive(x, p, m->entry, later);

		stay.core = x->now.core[m->entry->thread];
		stay.by = x->course.by[m->entry->thread];
		for (int k = later; k < 2 && !x->base; k++)
			m->stay[k] = stay;
		slowest = ns > slowest ? ns : slowest;
	}
	for (uint32_t d = 0; d < f->n_domains; d++)
		changes += before[d] != x->now.step[d];
	free(before);
	return x->acts ? slowest + (changes ? changes * f->frequency_ns + f->trigger_ns : 0) : 0;
}

/* Add @times of @c to a sum. */
static void recompute_add(struct vcost *sum, struct vcost c, uint64_t times)
{
	sum->time += c.time * times;
	sum->energy += c.energy * times;
	sum->draw = c.draw > sum->draw ? c.draw : sum->draw;
}

/* A phase on the first turn, or on all later ones, in each model; the plan says the mean of an occurrence. */
static void account(struct run *x, uint32_t p, bool later)
{
	const struct vplan_phase *ph = &x->plan->phase[p];
	uint64_t passage = passage_ns(x, p, later);
	struct vcost sum = {0};

	for (size_t k = 0; k < x->n_models; k++) {
		struct span s;
		struct vcost c;

		span_make(&x->model[k], 1, x->now.f, ph->first, ph->last, &s);
		if (x->base && !later)
			recompute_add(&x->relaxed, relaxed_cost(x->now.f, &s), s.repeats);
		c = fluid_cost(&x->now, &s);
		recompute_add(&sum, (struct vcost){c.time, c.energy / 1000, c.draw}, 1);
		c.time += passage;
		c.energy += passage * c.draw;
		recompute_add(&x->total[k], c, later ? s.repeats - 1 : 1);
		free(s.member);
	}
	if (x->base)
		return;
	sum.time /= x->n_models;
	sum.energy /= x->n_models;
	if (ph->time != sum.time || ph->energy != sum.energy || ph->peak != sum.draw)
		findings_add(x->list,
			     "phase %u: the plan says %" PRIu64 " ns, %" PRIu64 " nJ, %" PRIu64
			     " mW, recomputed %" PRIu64 ", %" PRIu64 ", %" PRIu64,
			     p, ph->time, ph->energy, ph->peak, sum.time, sum.energy, sum.draw);
	if (ph->deadline && sum.time + passage > ph->deadline)
		findings_add(x->list, "phase %u takes %" PRIu64 " ns, its deadline is %" PRIu64 " ns", p,
			     sum.time + passage, ph->deadline);
}

wide cost_figure(const struct vplan *p, struct vcost c)
{
	if (!strcmp(p->objective, "edp"))
		return (wide)c.energy * c.time;
	return !strcmp(p->objective, "energy") ? c.energy : !strcmp(p->objective, "time") ? c.time : c.draw;
}

/* The mean of the models' costs, or those of the one that does worst; the draw is the largest. */
static struct vcost fold(const struct run *x)
{
	struct vcost sum = {0}, worst = {0};

	for (size_t k = 0; k < x->n_models; k++) {
		struct vcost c = x->total[k];
		wide more = cost_figure(x->plan, c), most = cost_figure(x->plan, worst);
		bool longer = c.time > worst.time || (c.time == worst.time && c.energy > worst.energy);

		worst = more > most || (more == most && longer) ? c : worst;
		recompute_add(&sum, c, 1);
	}
	worst.draw = sum.draw;
	return x->plan->worst ? worst
			      : (struct vcost){sum.time / x->n_models, sum.energy / x->n_models, sum.draw};
}

/* The first turn of the loop [p, end), and all later ones, after which everything is as where the last one ends. */
static void replay_loop(struct run *x, uint32_t p, uint32_t end)
{
	size_t cores = x->plan->n_threads * sizeof(*x->now.core), by = x->plan->n_threads * sizeof(uint32_t);
	size_t steps = x->now.f->n_domains * sizeof(*x->now.step);
	uint32_t *core = need(x->plan->n_threads, sizeof(*core)),
		 *setter = need(x->plan->n_threads, sizeof(*setter));
	uint32_t *step = need(x->now.f->n_domains, sizeof(*step));

	for (int later = 0; later < 2; later++)
		for (uint32_t q = p; q < end; q++) {
			if (later && x->span[q].repeats < 2)
				continue;
			account(x, q, later);
			if (x->span[q].repeats < x->span[p].repeats)
				continue;
			memcpy(core, x->now.core, cores);
			memcpy(setter, x->course.by, by);
			memcpy(step, x->now.step, steps);
		}
	for (uint32_t t = 0; t < x->plan->n_threads; t++)
		if (core[t] != VPLATFORM_NONE) { /* else it has started where the last turn does not come */
			x->now.core[t] = core[t];
			x->course.by[t] = setter[t];
		}
	memcpy(x->now.step, step, steps);
	free(core);
	free(setter);
	free(step);
}

static struct vcost replay(struct run *x, bool base)
{
	const struct vplan *plan = x->plan;
	struct vcost c;

	x->base = base;
	x->acts = !base && (vplan_thread_starts(plan) || plan->n_triggers);
	x->place = base ? plan->base_place : plan->free_place;
	x->n_places = base ? plan->n_base_places : plan->n_free_places;
	x->now.moved = !x->acts && !strcmp(plan->baseline, "os");
	x->now.core = need(plan->n_threads, sizeof(*x->now.core));
	memset(x->now.core, 0xff, plan->n_threads * sizeof(*x->now.core));
	x->now.step = need(x->now.f->n_domains, sizeof(*x->now.step));
	x->total = need(x->n_models, sizeof(*x->total));
	x->course.by = need(plan->n_threads, sizeof(*x->course.by));
	for (uint32_t p = 0, end; p < plan->n_phases; p = end) {
		end = loop_end(x, p);
		replay_loop(x, p, end);
	}
	c = fold(x);
	free(x->now.core);
	free(x->now.step);
	free(x->total);
	free(x->course.by);
	return c;
}

static void open_spans(struct run *x)
{
	x->span = need(x->plan->n_phases, sizeof(*x->span));
	for (uint32_t i = 0; i < x->plan->n_phases; i++)
		span_make(x->model, x->n_models, x->now.f, x->plan->phase[i].first, x->plan->phase[i].last,
			  &x->span[i]);
	x->course.plan = x->plan;
	x->course.model = x->model;
	x->course.now = &x->now;
	x->course.list = x->list;
}

bool recompute(const struct vplan *p, const struct vmodel *m, size_t n_models, const struct vplatform *f,
	       struct result *out, struct findings *list)
{
	struct run x = {.plan = p, .model = m, .n_models = n_models, .list = list, .now.f = f};
	bool fits;

	open_spans(&x);
	*out = (struct result){.span = x.span, .acted = need(p->n_triggers, sizeof(*out->acted))};
	x.course.acted = out->acted;
	fits = claims_phases(p, m, n_models, f, x.span, list);
	if (fits) {
		out->base = replay(&x, true);
		out->plan = replay(&x, false);
		out->relaxed.time = x.relaxed.time / n_models;
		out->relaxed.energy = x.relaxed.energy / n_models;
	}
	return fits;
}

struct vcost recompute_places(const struct vplan *p, const struct vmodel *m, size_t n_models,
			      const struct vplatform *f, struct vplan_place *place, size_t n_places,
			      bool moved)
{
	struct vplan other = *p;
	struct findings none = {0};
	struct run x = {.plan = &other, .model = m, .n_models = n_models, .list = &none, .now.f = f};
	struct result r = {0};

	other.base_place = place;
	other.n_base_places = n_places;
	other.baseline = moved ? "os" : "spread";
	open_spans(&x);
	r.base = replay(&x, true);
	r.span = x.span;
	result_release(p, &r);
	findings_release(&none);
	return r.base;
}

void result_release(const struct vplan *p, struct result *r)
{
	for (size_t i = 0; r->span && i < p->n_phases; i++)
		free(r->span[i].member);
	free(r->span);
	free(r->acted);
	r->span = NULL;
	r->acted = NULL;
}
