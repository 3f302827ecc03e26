/* SPDX-License-Identifier: MIT */
#include "verify/feasible.h"

#include <inttypes.h>
#include <string.h>

static const struct vplatform_core *core_of(const struct vplatform *f, uint32_t id)
{
	for (size_t i = 0; i < f->n_cores; i++)
		if (f->core[i].id == id)
			return &f->core[i];
	return NULL;
}

static void check_core(const struct vplatform *f, uint32_t id, const char *what, size_t i,
		       struct findings *list)
{
	const struct vplatform_core *core = core_of(f, id);

	if (!core)
		findings_add(list, "%s %zu: unknown core %u", what, i, id);
	else if (!core->usable)
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
		findings_add(list, "the plan says core numbers go up to %" PRIu64 ", on the platform to %u",
			     p->max_core_id, top);
	if (p->cpu && (!f->cpu || strcmp(p->cpu, f->cpu)))
		findings_add(list, "the plan is for `%s`, the platform is `%s`", p->cpu,
			     f->cpu ? f->cpu : "not named");
}

static bool same_creation(const struct vplan_thread *a, const struct vplan_thread *b)
{
	return a->creator != VPLAN_NONE && a->creator == b->creator && a->create == b->create &&
	       a->ordinal == b->ordinal;
}

static void check_threads(const struct vplan *p, const struct vplatform *f, struct findings *list)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		const struct vplan_thread *t = &p->thread[i];

		if (t->core != VPLAN_NONE)
			check_core(f, t->core, "thread", i, list);
		if (i && t->creator == VPLAN_NONE && t->core != VPLAN_NONE)
			findings_add(list, "thread %zu: its creator is not known, so it cannot be placed", i);
		for (size_t k = 1; k < i; k++)
			if (same_creation(&p->thread[k], t))
				findings_add(list, "threads %zu and %zu are the same creation", k, i);
	}
}

static void check_step(const struct vplatform *f, const struct vplan_action *a, uint32_t number,
		       struct findings *list)
{
	bool domain = false, khz = false;

	for (size_t i = 0; i < f->n_cores; i++)
		domain |= f->core[i].domain == a->domain;
	for (size_t i = 0; i < f->n_steps; i++)
		khz |= f->step[i].khz == a->khz;
	if (!domain)
		findings_add(list, "trigger %u: unknown frequency domain %u", number, a->domain);
	if (!khz)
		findings_add(list, "trigger %u: the platform has no step of %u kHz", number, a->khz);
}

static void check_triggers(const struct vplan *p, const struct vplatform *f, struct findings *list)
{
	for (size_t i = 0; i < p->n_actions; i++) {
		const struct vplan_action *a = &p->action[i];
		uint32_t number = p->trigger[a->trigger].number;

		if (a->kind == VPLAN_PIN)
			check_core(f, a->core, "trigger", number, list);
		else
			check_step(f, a, number, list);
	}
	for (size_t i = 0; i < p->n_triggers; i++) {
		uint32_t t = p->trigger[i].thread;

		if (p->starts_only && p->trigger[i].at == VPLAN_CALL)
			findings_add(list, "trigger %u stands at a call, the plan is of kind `start`",
				     p->trigger[i].number);

		if (t && p->thread[t].creator == VPLAN_NONE)
			findings_add(
				list,
				"trigger %u: the creator of thread %u is not known, so it cannot act there",
				p->trigger[i].number, t);
	}
}

/* A plan is no worse than what it was compared with, and no better than what is possible. */
static void check_figures(const char *what, uint64_t base, uint64_t plan, uint64_t bound,
			  struct findings *list)
{
	if (base && plan > base)
		findings_add(list, "the plan's %s (%" PRIu64 ") is worse than the baseline's (%" PRIu64 ")",
			     what, plan, base);
	if (bound && plan < bound)
		findings_add(list, "the plan's %s (%" PRIu64 ") is below the bound (%" PRIu64 ")", what, plan,
			     bound);
	if (!plan)
		findings_add(list, "the plan's %s is missing", what);
}

/* True if a deadline or the cap may force a plan to be worse than the baseline. */
static bool is_limited(const struct vplan *p)
{
	bool limited = p->cap || (p->deadline && p->base_time > p->deadline);

	for (size_t i = 0; i < p->n_phases; i++)
		limited |= p->phase[i].deadline != 0;
	return limited;
}

void feasible_check(const struct vplan *p, const struct vplatform *f, struct findings *list)
{
	bool limited = is_limited(p);

	check_machine(p, f, list);
	check_threads(p, f, list);
	check_triggers(p, f, list);
	/* What is not the objective may well be worse than the baseline's. */
	if (!strcmp(p->objective, "energy"))
		check_figures("energy", limited ? 0 : p->base_energy, p->energy, p->bound_energy, list);
	else if (!strcmp(p->objective, "time"))
		check_figures("time", limited ? 0 : p->base_time, p->time, p->bound_time, list);
	else if (!strcmp(p->objective, "power"))
		check_figures("draw", 0, p->peak, 0, list);
	else if (!limited &&
		 (double)p->base_time * (double)p->base_energy < (double)p->time * (double)p->energy)
		findings_add(list, "the plan's energy x time is worse than the baseline's");
}
