/* SPDX-License-Identifier: MIT */
/* The best design as a plan: start placements, triggers, what it promises. */
#include "planner/result/emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/mem.h"
#include "planner/result/number.h"
#include "planner/result/reason.h"
#include "planner/result/proof.h"
#include "planner/result/sensitivity.h"

struct emitter {
	const struct outcome *o;
	struct plan *plan;
	uint32_t *site; /* the plan's number of a model site, PLAN_NONE */
	bool counting;  /* the best design whatever the verdict; reasons are of no interest */
};

/* ---- sites ---- */

static uint32_t plan_site(struct emitter *x, uint32_t model_site)
{
	const struct model_site *s;

	if (model_site == MODEL_NONE)
		return PLAN_NONE;
	if (x->site[model_site] != PLAN_NONE)
		return x->site[model_site];
	s = &x->o->task->model->sites[model_site];
	x->plan->sites = mem_resize(x->plan->sites, x->plan->n_sites + 1, sizeof(*x->plan->sites));
	x->plan->sites[x->plan->n_sites] = (struct plan_site){.id = mem_strdup(s->id),
							      .instance = mem_strdup(s->instance),
							      .unit = mem_strdup(s->unit),
							      .function = mem_strdup(s->function),
							      .callee = mem_strdup(s->callee),
							      .file = mem_strdup(s->file),
							      .line = s->line,
							      .equal = s->equal,
							      .near = s->near ? mem_strdup(s->near) : NULL};
	x->site[model_site] = (uint32_t)x->plan->n_sites++;
	return x->site[model_site];
}

/* ---- threads ---- */

static uint32_t first_slot(const struct problem *pb, uint32_t thread)
{
	uint32_t found = PROB_NONE;

	for (uint32_t i = 0; i < pb->n_slots; i++)
		if (pb->slots[i].thread == thread &&
		    (found == PROB_NONE || pb->slots[i].first < pb->slots[found].first))
			found = i;
	return found;
}

/* Does the plan choose the thread's core when it starts? */
static bool placed_at_start(const struct emitter *x, uint32_t slot)
{
	const struct outcome *o = x->o;

	if (slot == PROB_NONE || (!x->counting && o->verdict != PLANNER_GAIN))
		return false;
	if (o->problem->slots[slot].kind == SLOT_PROGRAM)
		return o->place_main;
	return o->problem->slots[slot].kind == SLOT_START;
}

static void emit_threads(struct emitter *x)
{
	const struct model *m = x->o->task->model;

	x->plan->threads = mem_new(m->n_threads, sizeof(*x->plan->threads));
	x->plan->n_threads = m->n_threads;
	for (uint32_t i = 0; i < m->n_threads; i++) {
		const struct model_thread *t = &m->threads[i];
		uint32_t slot = first_slot(x->o->problem, i);
		struct plan_thread *out = &x->plan->threads[i];

		*out = (struct plan_thread){.name = mem_strdup(t->name),
					    .creator = t->creator,
					    .create_site = i ? plan_site(x, t->create_site) : PLAN_NONE,
					    .ordinal = t->ordinal,
					    .core = PLAN_NONE};
		if (placed_at_start(x, slot)) {
			out->core = design_core(x->o->problem, &x->o->best, slot);
			if (!x->counting)
				out->reason = planner_thread_reason(x->o, slot, &out->evidence);
		} else if (t->reason) {
			out->reason = mem_strdup(t->reason);
		}
	}
}

/* ---- triggers ---- */

/* The trigger of this point, a new one if there is none. */
static struct plan_trigger *trigger_at(struct emitter *x, const struct plan_trigger *point)
{
	struct plan *plan = x->plan;

	for (size_t i = 0; i < plan->n_triggers; i++) {
		struct plan_trigger *t = &plan->triggers[i];

		if (t->at == point->at && t->thread == point->thread && t->site == point->site &&
		    t->first == point->first && t->every == point->every)
			return t;
	}
	plan->triggers = mem_resize(plan->triggers, plan->n_triggers + 1, sizeof(*plan->triggers));
	plan->triggers[plan->n_triggers] = *point;
	return &plan->triggers[plan->n_triggers++];
}

static void add_action(struct plan_trigger *t, const struct plan_action *action, char *reason, char *evidence)
{
	t->actions = mem_resize(t->actions, t->n_actions + 1, sizeof(*t->actions));
	t->actions[t->n_actions++] = *action;
	if (!t->reason) {
		t->reason = reason;
		t->evidence = evidence;
	} else {
		free(reason);
		free(evidence);
	}
}

/*
 * On which visits a change at the entry to a phase must act: on the first
 * turn of its loop only, on the later ones, or on all.
 */
static void set_visits(struct plan_trigger *t, const struct model_work *w, bool first, bool later)
{
	t->every = later ? w->enter_every : 0;
	t->first = first ? w->enter_visit : w->enter_visit + w->enter_every;
}

static bool arrival_moves(const struct outcome *o, const struct prob_arrival *a)
{
	return a->before != PROB_NONE &&
	       design_unit(o->problem, &o->best, a->slot) != design_unit(o->problem, &o->best, a->before);
}

/* @evidence, which is taken over, and the phase that the slot begins in, which says when the move is made. */
static char *with_phase(const struct outcome *o, uint32_t slot, char *evidence)
{
	const struct prob_phase *ph = &o->problem->phases[o->problem->slots[slot].first];
	const char *phase = o->task->model->phases[o->problem->order[ph->model_first]].name;
	struct strbuf out = STRBUF_INIT;

	if (evidence && strstr(evidence, phase))
		return evidence;
	strbuf_printf(&out, "%s%s%s", evidence ? evidence : "", evidence ? ", " : "", phase);
	free(evidence);
	return strbuf_detach(&out);
}

static void emit_move(struct emitter *x, uint32_t slot, bool first, bool later)
{
	const struct outcome *o = x->o;
	const struct model_work *w = problem_entry(o->problem, &o->problem->slots[slot]);
	struct plan_trigger point = {
		.at = PLAN_AT_CALL, .thread = o->problem->slots[slot].thread, .after = true};
	struct plan_action pin = {.kind = PLAN_PIN, .core = design_core(o->problem, &o->best, slot)};
	char *evidence = NULL, *reason;

	if (!w || (point.thread == 0 && !o->place_main))
		return;
	point.site = plan_site(x, w->enter_site);
	set_visits(&point, w, first, later);
	reason = x->counting ? NULL : planner_thread_reason(x->o, slot, &evidence);
	if (!x->counting)
		evidence = with_phase(o, slot, evidence);
	add_action(trigger_at(x, &point), &pin, reason, evidence);
}

static void emit_moves(struct emitter *x, uint32_t phase)
{
	const struct problem *pb = x->o->problem;

	for (uint32_t slot = 0; slot < pb->n_slots; slot++) {
		bool first = false, later = false;

		if (pb->slots[slot].kind != SLOT_SITE || pb->slots[slot].first != phase)
			continue;
		for (uint32_t e = pb->edge_at[phase]; e < pb->edge_at[phase + 1]; e++)
			for (uint32_t i = 0; i < pb->edges[e].n_arrivals; i++)
				if (pb->edges[e].arrivals[i].slot == slot &&
				    arrival_moves(x->o, &pb->edges[e].arrivals[i]))
					*(e == pb->edge_at[phase] ? &first : &later) = true;
		if (first || later)
			emit_move(x, slot, first, later);
	}
}

/* Who changes frequencies at the beginning of a phase: the first that passes a call, else one that starts. */
static bool find_actor(struct emitter *x, uint32_t phase, bool first, bool later, struct plan_trigger *point)
{
	const struct prob_phase *ph = &x->o->problem->phases[phase];
	const struct prob_member *best = NULL;

	for (uint32_t i = 0; i < ph->n_members; i++) {
		const struct prob_member *m = &ph->members[i];

		if (m->recurs && problem_may_enter(x->o->problem, m) && (!best || m->thread < best->thread))
			best = m;
	}
	if (best) {
		const struct model_work *w =
			&x->o->task->model->phases[best->enter_phase].work[best->enter_work];

		*point = (struct plan_trigger){.at = PLAN_AT_CALL, .thread = best->thread, .after = true};
		point->site = plan_site(x, w->enter_site);
		set_visits(point, w, first, later);
		return true;
	}
	for (uint32_t i = 0; i < ph->n_members; i++)
		if (ph->members[i].starts && ph->members[i].recurs &&
		    x->o->task->model->threads[ph->members[i].thread].plannable) {
			*point = (struct plan_trigger){.at = PLAN_AT_THREAD_START,
						       .thread = ph->members[i].thread,
						       .site = PLAN_NONE};
			return true;
		}
	return false;
}

/* The domain's step before and after a passage differ. */
static bool edge_changes(const struct outcome *o, const struct prob_edge *e, uint32_t domain)
{
	uint8_t to = design_steps(o->problem, &o->best, e->to)[domain];

	return to != (e->from == PROB_NONE ? 0 : design_steps(o->problem, &o->best, e->from)[domain]);
}

static void emit_step(struct emitter *x, uint32_t phase, uint32_t domain)
{
	const struct outcome *o = x->o;
	const struct problem *pb = o->problem;
	struct plan_trigger point = {.at = PLAN_AT_PROGRAM_START, .site = PLAN_NONE};
	struct plan_action step = {.kind = PLAN_STEP, .domain = o->machine->domains[domain].id};
	bool first = false, later = false;
	char *evidence = NULL, *reason;

	for (uint32_t e = pb->edge_at[phase]; e < pb->edge_at[phase + 1]; e++)
		if (edge_changes(o, &pb->edges[e], domain))
			*(e == pb->edge_at[phase] ? &first : &later) = true;
	if (!first && !later)
		return;
	if (phase > 0 && !find_actor(x, phase, first, later, &point))
		return;
	step.khz = o->task->platform->steps[design_steps(pb, &o->best, phase)[domain]].khz;
	reason = x->counting ? NULL : planner_step_reason(x->o, pb->phases[phase].epoch, &evidence);
	add_action(trigger_at(x, &point), &step, reason, evidence);
}

static bool same_actions(const struct plan_trigger *a, const struct plan_trigger *b)
{
	bool same = a->n_actions == b->n_actions;

	for (size_t i = 0; same && i < a->n_actions; i++) {
		const struct plan_action *p = &a->actions[i], *q = &b->actions[i];

		same = p->kind == q->kind && p->core == q->core && p->domain == q->domain && p->khz == q->khz;
	}
	return same;
}

/* @b does at the visits from the next on what @a does at one. */
static bool goes_on(const struct plan_trigger *a, const struct plan_trigger *b)
{
	return a->at == PLAN_AT_CALL && b->at == PLAN_AT_CALL && a->thread == b->thread &&
	       a->site == b->site && a->after == b->after && !a->every && b->every &&
	       b->first == a->first + b->every && same_actions(a, b);
}

/* @a and what @b, which is freed, has more. */
static char *joined(char *a, char *b, const char *between)
{
	struct strbuf out = STRBUF_INIT;

	if (!a || !b || strstr(a, b)) {
		free(a ? b : NULL);
		return a ? a : b;
	}
	strbuf_printf(&out, "%s%s%s", a, between, b);
	free(a);
	free(b);
	return strbuf_detach(&out);
}

void emit_join(struct plan *plan)
{
	for (size_t i = 0; i < plan->n_triggers; i++)
		for (size_t k = 0; k < plan->n_triggers; k++) {
			struct plan_trigger *a = &plan->triggers[i], *b = &plan->triggers[k];

			if (!goes_on(a, b))
				continue;
			a->every = b->every;
			a->reason = joined(a->reason, b->reason, "; later: ");
			a->evidence = joined(a->evidence, b->evidence, ", ");
			free(b->actions);
			plan->n_triggers--;
			memmove(b, b + 1, (plan->n_triggers - k) * sizeof(*b));
			i -= i > k;
			break;
		}
}

static int emit_triggers(struct emitter *x, struct err *err)
{
	const struct problem *pb = x->o->problem;

	for (uint32_t phase = 0; phase < pb->n_phases; phase++) {
		emit_moves(x, phase);
		for (uint32_t d = 0;
		     pb->epochs[pb->phases[phase].epoch] == phase && d < x->o->machine->n_domains; d++)
			emit_step(x, phase, d);
	}
	emit_join(x->plan);
	if (x->plan->n_triggers <= NUMBER_MAX)
		return 0;
	return err_set(err, -E2BIG,
		       "the plan has %zu triggers, at most %d can be numbered\n"
		       "  record a shorter run, or plan with fewer --evaluations",
		       x->plan->n_triggers, NUMBER_MAX);
}

/* ---- figures ---- */

static void emit_phases(struct emitter *x)
{
	const struct outcome *o = x->o;
	const struct evaluation *ev = o->verdict == PLANNER_GAIN ? &o->best_ev : &o->base_ev;

	x->plan->n_phases = o->problem->n_phases;
	x->plan->phases = mem_new(o->problem->n_phases, sizeof(*x->plan->phases));
	for (uint32_t i = 0; i < o->problem->n_phases; i++) {
		const struct prob_phase *ph = &o->problem->phases[i];

		x->plan->phases[i] = (struct plan_phase){
			.name = mem_strdup(o->task->model->phases[o->problem->order[ph->model_first]].name),
			.repeats = (uint32_t)ph->repeats,
			.time_ns = ev->phase[i].time_ns,
			.energy_nj = ev->phase[i].energy_pj / 1000};
	}
}

/* A search that was cut off by hand is not one that can be repeated. */
static char *method_name(const struct outcome *o)
{
	struct strbuf s = STRBUF_INIT;

	strbuf_printf(&s, "%s%s", o->method, o->stopped ? ", interrupted" : "");
	return strbuf_detach(&s);
}

/* What each kind reaches, from the least to the one that may do most. */
static void emit_kinds(const struct outcome *o, struct plan *plan)
{
	plan->kinds = mem_new(PLAN_KINDS, sizeof(*plan->kinds));
	for (int kind = PLAN_KIND_START; kind >= 0; kind--)
		if (o->reach[kind].known)
			plan->kinds[plan->n_kinds++] = (struct plan_reach){
				.kind = (enum plan_kind)kind,
				.time_ns = o->reach[kind].time_ns,
				.energy_nj = o->reach[kind].energy_pj / 1000,
				.triggers = o->reach[kind].triggers,
			};
}

static void emit_figures(struct emitter *x)
{
	const struct outcome *o = x->o;
	const struct evaluation *ev = o->verdict == PLANNER_GAIN ? &o->best_ev : &o->base_ev;
	const struct sim_result *sim = o->verdict == PLANNER_GAIN ? &o->sim : &o->base_sim;
	struct plan *plan = x->plan;

	plan->objective = o->goal.objective;
	plan->seed = o->task->opts.seed;
	plan->method = method_name(o);
	plan->evaluations = o->evaluations;
	plan->baseline = mem_strdup(baseline_name(o->task->opts.baseline));
	plan->base_time_ns = o->base_ev.total.time_ns;
	plan->base_energy_nj = o->base_ev.total.energy_pj / 1000;
	plan->time_ns = ev->total.time_ns;
	plan->energy_nj = ev->total.energy_pj / 1000;
	/* The bound holds for fixed places; a baseline in which the system moves threads can be below it. */
	plan->bound_time_ns = o->bound.time_ns < plan->time_ns ? o->bound.time_ns : plan->time_ns;
	plan->bound_energy_nj = o->bound.energy_pj / 1000;
	if (plan->bound_energy_nj > plan->energy_nj)
		plan->bound_energy_nj = plan->energy_nj;
	plan->proven = o->proven;
	plan->simulated_time_ns = sim->cost.time_ns;
	plan->simulated_energy_nj = sim->cost.energy_pj / 1000;
	plan->kind = o->task->opts.kind;
	emit_kinds(o, plan);
	planner_emit_sense(x->o, plan);
}

static void emit_identity(struct emitter *x)
{
	const struct outcome *o = x->o;
	struct plan *plan = x->plan;
	char hex[SHA256_HEX];

	plan->program = mem_strdup(o->task->model->program);
	plan->build_id = mem_strdup(o->task->model->build_id);
	plan->sites_sha256 = mem_strdup(o->task->model->sites_sha256);
	model_hash(o->task->model, hex);
	plan->model_sha256 = mem_strdup(hex);
	plan->platform_name = mem_strdup(o->task->platform->name);
	platform_hash(o->task->platform, hex);
	plan->platform_sha256 = mem_strdup(hex);
	baseline_hash(o->problem, &o->base, hex);
	plan->baseline_sha256 = mem_strdup(hex);
	plan->n_cores = o->task->platform->n_cores;
	plan->max_core_id = o->task->platform->cores[o->task->platform->n_cores - 1].id;
	plan->cpu = mem_strdup(o->task->platform->cpu);
}

/* The same as plan_thread_starts() and plan_call_triggers() of the plan. */
uint32_t emit_count(const struct outcome *o)
{
	struct plan plan = {0};
	struct emitter x = {o, &plan, mem_new(o->task->model->n_sites + 1, sizeof(*x.site)), true};
	uint32_t n;

	for (size_t i = 0; i < o->task->model->n_sites; i++)
		x.site[i] = PLAN_NONE;
	emit_threads(&x);
	emit_triggers(&x, NULL);
	n = (uint32_t)(plan_thread_starts(&plan) + plan_call_triggers(&plan));
	plan_release(&plan);
	free(x.site);
	return n;
}

int planner_emit(const struct outcome *o, struct plan *plan, struct err *err)
{
	struct emitter x = {o, plan, mem_new(o->task->model->n_sites + 1, sizeof(*x.site)), false};
	int ret = 0;

	*plan = (struct plan){0};
	for (size_t i = 0; i < o->task->model->n_sites; i++)
		x.site[i] = PLAN_NONE;
	emit_identity(&x);
	emit_figures(&x);
	emit_threads(&x);
	if (o->verdict == PLANNER_GAIN)
		ret = emit_triggers(&x, err);
	if (!ret)
		number_triggers(plan);
	emit_phases(&x);
	proof_emit(o, plan);
	emit_inputs(o, plan);
	free(x.site);
	if (ret)
		plan_release(plan);
	return ret;
}
