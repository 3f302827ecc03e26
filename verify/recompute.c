/* SPDX-License-Identifier: MIT */
/* The run, phase by phase, by what the plan says; and the plan's figures against those computed again. */
#include "verify/recompute.h"

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
	bool base, acts, *used;          /* the baseline's run; triggers act; by trigger: it did */
	struct vcost *total, relaxed;    /* by model; of all together */
};

uint64_t work_ns(const struct vplatform *f, const struct member *m, size_t step)
{
	wide ns = ((wide)m->cycles * 1000000 + f->step[step].khz - 1) / f->step[step].khz;

	return ns > UINT64_MAX / 4 ? UINT64_MAX / 4 : (uint64_t)ns + m->memory_ns;
}

/* All work before that under locks, which goes by lock; the most first; ties by thread. */
static int compare(const void *a, const void *b)
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
static void weigh(const struct vplatform *f, struct span *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->n_all; i++)
		s->member[i].top_ns = work_ns(f, &s->member[i], 0);
	qsort(s->member, s->n_all, sizeof(*s->member), compare);
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
	weigh(f, s);
	return true;
}

size_t span_find(const struct span *s, uint32_t thread)
{
	size_t i = 0;

	while (i < s->n && s->member[i].entry->thread != thread)
		i++;
	return i;
}

/* Joined phases happen once each, and somebody goes on from one to the next. */
static void check_join(const struct run *x, uint32_t p)
{
	const struct span *all = &x->span[p];

	for (uint32_t q = all->first + 1; q <= all->last; q++) {
		bool goes_on = false;
		struct span s;

		span_make(x->model, x->n_models, x->now.f, q, q, &s);
		for (size_t i = 0; i < s.n_heavy; i++) {
			const struct vmodel_work *w = s.member[i].entry;

			goes_on |=
				!w->enters && !w->starts && all->member[span_find(all, w->thread)].entry != w;
		}
		if (all->repeats > 1 || s.repeats > 1 || !goes_on)
			findings_add(x->list, "phase %u joins phases of the model that do not run together",
				     p);
		free(s.member);
	}
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

/* Phases [p, end) take turns: as many repeats each, none over before the next begins. */
static uint32_t loop_end(const struct run *x, uint32_t p)
{
	uint32_t end = p + 1;

	while (x->span[p].repeats > 1 && end < x->plan->n_phases &&
	       x->span[end].repeats == x->span[p].repeats && !in_sequence(&x->span[end - 1], &x->span[end]))
		end++;
	return end;
}

static void act(struct run *x, size_t trigger)
{
	const struct vplan_trigger *t = &x->plan->trigger[trigger];

	for (size_t i = t->action; i < t->action + t->n_actions; i++) {
		const struct vplan_action *a = &x->plan->action[i];
		uint32_t step = vplatform_find_step(x->now.f, a->khz);

		if (a->kind == VPLAN_PIN)
			x->now.core[t->thread] = vplatform_find(x->now.f, a->core);
		else if (a->domain < x->now.f->n_domains && step != VPLATFORM_NONE)
			x->now.step[a->domain] = step;
	}
	x->used[trigger] = true;
}

/* Does trigger @t of a thread act when it comes to @w on turn @turn, counted from 0? */
static bool fires(const struct run *x, const struct vplan_trigger *t, const struct vmodel_work *w,
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
static void act_on_entry(struct run *x, uint32_t p, const struct vmodel_work *w, bool starts, bool later)
{
	uint64_t last = x->span[p].repeats - 1;

	for (size_t i = 0; i < x->plan->n_triggers; i++) {
		const struct vplan_trigger *t = &x->plan->trigger[i];
		bool now = t->thread == w->thread && fires(x, t, w, starts, later);

		if (later && last > 1 && t->thread == w->thread &&
		    (fires(x, t, w, starts, last) != now || fires(x, t, w, starts, 2) != now))
			findings_add(x->list, "trigger %u acts on some turns of phase %u only", t->number, p);
		if (now)
			act(x, i);
	}
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
		act_on_entry(x, p, w, old == VPLATFORM_NONE, later);
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
	for (size_t i = 0; x->acts && !p && !later && i < x->plan->n_triggers; i++)
		if (x->plan->trigger[i].at == VPLAN_PROGRAM_START)
			act(x, i);
	for (size_t i = 0; i < x->span[p].n; i++) {
		uint64_t ns = arrive(x, p, x->span[p].member[i].entry, later);

		slowest = ns > slowest ? ns : slowest;
	}
	for (uint32_t d = 0; d < f->n_domains; d++)
		changes += before[d] != x->now.step[d];
	free(before);
	return x->acts ? slowest + (changes ? changes * f->frequency_ns + f->trigger_ns : 0) : 0;
}

/* Add @times of @c to a sum. */
static void add(struct vcost *sum, struct vcost c, uint64_t times)
{
	sum->time += c.time * times;
	sum->energy += c.energy * times;
	sum->draw = c.draw > sum->draw ? c.draw : sum->draw;
}

static void same(struct findings *list, const char *what, uint64_t said, uint64_t found)
{
	if (said != found)
		findings_add(list, "%s: the plan says %" PRIu64 ", recomputed %" PRIu64, what, said, found);
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
			add(&x->relaxed, relaxed_cost(x->now.f, &s), s.repeats);
		c = fluid_cost(&x->now, &s);
		add(&sum, (struct vcost){c.time, c.energy / 1000, c.draw}, 1);
		c.time += passage;
		c.energy += passage * c.draw;
		add(&x->total[k], c, later ? s.repeats - 1 : 1);
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
		add(&sum, c, 1);
	}
	worst.draw = sum.draw;
	return x->plan->worst ? worst
			      : (struct vcost){sum.time / x->n_models, sum.energy / x->n_models, sum.draw};
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
	for (uint32_t p = 0, end; p < plan->n_phases; p = end) {
		end = loop_end(x, p);
		for (int later = 0; later < (x->span[p].repeats > 1 ? 2 : 1); later++)
			for (uint32_t q = p; q < end; q++)
				account(x, q, later);
	}
	c = fold(x);
	free(x->now.core);
	free(x->now.step);
	free(x->total);
	return c;
}

static void check_figures(const struct run *x, const struct result *r)
{
	const struct vplan *p = x->plan;

	same(x->list, "time of the baseline in ns", p->base_time, r->base.time);
	same(x->list, "energy of the baseline in nJ", p->base_energy, r->base.energy / 1000);
	same(x->list, "time in ns", p->time, r->plan.time);
	same(x->list, "energy in nJ", p->energy, r->plan.energy / 1000);
	same(x->list, "largest draw in mW", p->peak, r->plan.draw);
	same(x->list, "closed-form bound of the time in ns", p->relaxed_time, r->relaxed.time);
	same(x->list, "closed-form bound of the energy in nJ", p->relaxed_energy, r->relaxed.energy / 1000);
	if (p->deadline && r->plan.time > p->deadline)
		findings_add(x->list, "the run takes %" PRIu64 " ns, the deadline is %" PRIu64 " ns",
			     r->plan.time, p->deadline);
	if (p->cap && r->plan.draw > p->cap)
		findings_add(x->list, "the plan draws up to %" PRIu64 " mW, the cap is %" PRIu64 " mW",
			     r->plan.draw, p->cap);
	for (size_t i = 0; i < p->n_triggers; i++)
		if (!x->used[i])
			findings_add(x->list, "trigger %u never acts in this model", p->trigger[i].number);
}

void recompute(const struct vplan *p, const struct vmodel *m, size_t n_models, const struct vplatform *f,
	       struct result *out, struct findings *list)
{
	struct run x = {.plan = p, .model = m, .n_models = n_models, .list = list, .now.f = f};
	size_t n = list->n;

	*out = (struct result){0};
	x.span = need(p->n_phases, sizeof(*x.span));
	x.used = need(p->n_triggers, sizeof(*x.used));
	for (uint32_t i = 0; i < p->n_phases; i++) {
		span_make(m, n_models, f, p->phase[i].first, p->phase[i].last, &x.span[i]);
		same(list, "repeats of a phase", p->phase[i].repeats, x.span[i].repeats);
		check_join(&x, i);
	}
	if (list->n == n) {
		out->base = replay(&x, true);
		out->plan = replay(&x, false);
		out->relaxed.time = x.relaxed.time / n_models;
		out->relaxed.energy = x.relaxed.energy / n_models;
		check_figures(&x, out);
	}
	for (size_t i = 0; i < p->n_phases; i++)
		free(x.span[i].member);
	free(x.span);
	free(x.used);
}
