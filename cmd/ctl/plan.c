/* SPDX-License-Identifier: MIT */
/* perseus ctl run --plan: what a lease is for, and which cpus it needs. */
#include <errno.h>
#include <stdio.h>

#include "cmd/ctl/ctl.h"
#include "yaml/plan.h"

static void add_core(struct prs_ctl_request *q, uint32_t core)
{
	if (core != PLAN_NONE)
		ctl_cpus_add(q->cpus, core);
}

static void plan_cpus(const struct plan *p, struct prs_ctl_request *q)
{
	for (size_t i = 0; i < p->n_threads; i++)
		add_core(q, p->threads[i].core);
	for (size_t i = 0; i < p->n_triggers; i++)
		for (size_t a = 0; a < p->triggers[i].n_actions; a++)
			if (p->triggers[i].actions[a].kind == PLAN_PIN)
				add_core(q, p->triggers[i].actions[a].core);
}

/* The hash by which the generated code and the audit log know the plan. */
static void plan_name(const struct plan *p, struct prs_ctl_request *q)
{
	char hex[65];

	plan_hash(p, hex);
	for (int i = 0; i < 32; i++)
		sscanf(hex + 2 * i, "%2hhx", &q->plan[i]);
}

/* A plan with steps: its program leases their clocks, and nobody else may have them then. */
static bool has_steps(const struct plan *p)
{
	for (size_t i = 0; i < p->n_triggers; i++)
		for (size_t a = 0; a < p->triggers[i].n_actions; a++)
			if (p->triggers[i].actions[a].kind == PLAN_STEP)
				return true;
	return false;
}

int ctl_take_plan(const char *path, bool with_cpus, struct prs_ctl_request *q, bool *sets_steps,
		  struct err *err)
{
	struct plan plan;
	int ret = plan_load(&plan, path, err);

	if (ret)
		return ret;
	plan_name(&plan, q);
	if (with_cpus)
		plan_cpus(&plan, q);
	*sets_steps = has_steps(&plan);
	plan_release(&plan);
	if (ctl_first(q->cpus) == PRS_CTL_CPUS && with_cpus)
		return err_set(err, -EINVAL,
			       "the plan '%s' puts no thread on a core\n  --cpus=LIST says which cpus", path);
	return 0;
}
