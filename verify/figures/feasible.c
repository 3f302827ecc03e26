/* SPDX-License-Identifier: MIT */
/* Can the platform do what the plan asks of it, and do the plan's figures agree with each other? */
#include <inttypes.h>
#include <string.h>

#include "verify/figures/recompute.h"

static void check_core(const struct vplatform *f, uint32_t id, const char *what, size_t i,
		       struct findings *list)
{
	bool known = false;

	for (size_t k = 0; k < f->n_cores; k++)
		known |= f->core[k].id == id;
	if (!known)
		findings_add(list, "%s %zu: unknown core %u", what, i, id);
	else if (vplatform_find(f, id) == VPLATFORM_NONE)
		findings_add(list, "%s %zu: core %u is outside the affinity mask of the platform", what, i,
			     id);
}

static void check_machine(const struct vplan *p, const struct vplatform *f, struct findings *list)
{
	uint32_t top = 0;

	for (size_t i = 0; i < f->n_cores; i++)
		top = f->core[i].id > top ? f->core[i].id : top;
	if (p->n_cores != f->n_cores)
		findings_add(list, "the plan is for %" PRIu64 " cores, the platform has %zu", p->n_cores,
			     f->n_cores);
	if (p->max_core_id != top)
		findings_add(list, "the plan's cores go up to %" PRIu64 ", the platform's to %u",
			     p->max_core_id, top);
	if (p->cpu && (!f->cpu || strcmp(p->cpu, f->cpu)))
		findings_add(list, "the plan is for `%s`, the platform is `%s`", p->cpu,
			     f->cpu ? f->cpu : "not named");
}

static void check_threads(const struct vplan *p, const struct vplatform *f, struct findings *list)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		const struct vplan_thread *t = &p->thread[i];

		if (t->core != VPLAN_NONE)
			check_core(f, t->core, "thread", i, list);
		if (i && t->creator == VPLAN_NONE && t->core != VPLAN_NONE)
			findings_add(list, "thread %zu: its creator is not known, so it cannot be placed", i);
		for (size_t k = 1; k < i && t->creator != VPLAN_NONE; k++)
			if (p->thread[k].creator == t->creator && p->thread[k].create == t->create &&
			    p->thread[k].ordinal == t->ordinal)
				findings_add(list, "threads %zu and %zu are the same creation", k, i);
	}
}

static void check_action(const struct vplatform *f, const struct vplan_action *a, uint32_t number,
			 struct findings *list)
{
	bool domain = false;

	for (size_t i = 0; i < f->n_cores; i++)
		domain |= f->core[i].domain == a->domain;
	if (a->kind == VPLAN_PIN)
		check_core(f, a->core, "trigger", number, list);
	else if (!domain)
		findings_add(list, "trigger %u: unknown frequency domain %u", number, a->domain);
	else if (vplatform_find_step(f, a->khz) == VPLATFORM_NONE)
		findings_add(list, "trigger %u: the platform has no step of %u kHz", number, a->khz);
}

static void check_triggers(const struct vplan *p, const struct vplatform *f, struct findings *list)
{
	for (size_t i = 0; i < p->n_triggers; i++) {
		const struct vplan_trigger *t = &p->trigger[i];

		for (size_t k = 0; k < t->n_actions; k++)
			check_action(f, &p->action[t->action + k], t->number, list);
		if (p->starts_only && t->at == VPLAN_CALL)
			findings_add(list, "trigger %u stands at a call, the plan is of kind `start`",
				     t->number);
		if (t->thread && p->thread[t->thread].creator == VPLAN_NONE)
			findings_add(list,
				     "trigger %u: the creator of thread %u is not known, so it cannot act",
				     t->number, t->thread);
	}
}

/* They stand in functions of the program, which no plan of starts or phases touches. */
static void check_flushes(const struct vplan *p, struct findings *list)
{
	for (size_t i = 0; i < p->n_flushes; i++)
		if (p->kind != VPLAN_KIND_CALL)
			findings_add(list, "flush %u changes a function, the plan is not of kind `call`",
				     p->flush[i].number);
}

/*
 * A plan is no worse than what it was compared with, unless a deadline or the
 * cap may force it to be; and no figure is better than what is possible.
 */
static void check_figures(const struct vplan *p, struct findings *list)
{
	wide plan = cost_figure(p, (struct vcost){p->time, p->energy, p->peak});
	wide base = cost_figure(p, (struct vcost){p->base_time, p->base_energy, 0});
	bool limited = p->cap || (p->deadline && p->base_time > p->deadline);

	for (size_t i = 0; i < p->n_phases; i++)
		limited |= p->phase[i].deadline != 0;
	if ((base || !strcmp(p->objective, "edp")) && !limited && plan > base)
		findings_add(list, "the plan's %s (%.17g) is worse than the baseline's (%.17g)", p->objective,
			     (double)plan, (double)base);
	if (p->bound_time > p->time || p->bound_energy > p->energy)
		findings_add(list, "the plan's time or energy is below the bound");
	if (!plan)
		findings_add(list, "the plan's %s is missing", p->objective);
}

void feasible_check(const struct vplan *p, const struct vplatform *f, struct findings *list)
{
	check_machine(p, f, list);
	check_threads(p, f, list);
	check_triggers(p, f, list);
	check_flushes(p, list);
	check_figures(p, list);
}
