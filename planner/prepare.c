/* SPDX-License-Identifier: MIT */
/* A run up to its search, and its end. */
#include <errno.h>
#include <stdlib.h>

#include "planner/planner.h"

static int check_objective(const struct planner *p, struct err *err)
{
	if (!(goal_needs_watts(&p->out.goal) || p->task.opts.front) || p->task.platform->energy_known)
		return 0;
	return err_set(
		err, -ENOTSUP,
		"the watts of platform '%s' are not known, so energy and power cannot be planned for it\n"
		"  plan for time (--objective=time), or for a platform with watts, for instance\n"
		"  --platform xeon-e5320; perseus calibrate --list shows the ones known here",
		p->task.platform->name);
}

/* What the system makes of it if nothing is set. */
static void evaluate_system(struct planner *p)
{
	struct design d;

	design_init(&d, &p->problem);
	evaluation_init(&p->out.system_ev, &p->problem, false);
	baseline_make(&p->problem, BASELINE_OS, p->task.opts.seed, &d);
	eval_all(&p->problem, &d, &p->search.scratch, &p->out.system_ev);
	design_release(&d);
}

static void prepare_designs(struct planner *p)
{
	scratch_init(&p->search.scratch, &p->problem);
	design_init(&p->out.base, &p->problem);
	design_init(&p->out.best, &p->problem);
	evaluation_init(&p->out.base_ev, &p->problem, false);
	evaluation_init(&p->out.best_ev, &p->problem, true);
	baseline_make(&p->problem, p->task.opts.baseline, p->task.opts.seed, &p->out.base);
	design_copy(&p->out.best, &p->out.base, &p->problem);
	eval_all(&p->problem, &p->out.base, &p->search.scratch, &p->out.base_ev);
	planner_set_limits(p);
	eval_all(&p->problem, &p->out.base, &p->search.scratch, &p->out.base_ev);
	eval_all(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev);
	evaluate_system(p);
}

int planner_prepare(struct planner *p, const struct model *model, const struct platform *platform,
		    const struct planner_options *opts, struct err *err)
{
	int ret;

	*p = (struct planner){.task = {model, platform, *opts},
			      .out = {.task = &p->task,
				      .machine = &p->machine,
				      .problem = &p->problem,
				      .goal = opts->goal,
				      .method = "none"},
			      .search = {.threads = opts->threads, .log = opts->log}};
	ret = check_objective(p, err);
	if (!ret)
		ret = machine_init(&p->machine, platform, err);
	if (!ret)
		ret = problem_init_kind(&p->problem, model, opts->inputs, &p->machine, opts->kind, err);
	if (ret) {
		planner_release(p);
		return ret;
	}
	prepare_designs(p);
	return 0;
}

void planner_release(struct planner *p)
{
	design_release(&p->out.base);
	design_release(&p->out.best);
	for (uint32_t kind = 0; kind < PLAN_KINDS; kind++)
		design_release(&p->search.lower[kind]);
	finalists_release(&p->search.finalists);
	for (uint32_t i = 0; i < p->out.n_plans; i++)
		design_release(&p->out.plans[i].design);
	free(p->out.plans);
	front_release(&p->out.front);
	evaluation_release(&p->out.base_ev);
	evaluation_release(&p->out.best_ev);
	evaluation_release(&p->out.system_ev);
	scratch_release(&p->search.scratch);
	problem_release(&p->problem);
	machine_release(&p->machine);
	*p = (struct planner){0};
}
