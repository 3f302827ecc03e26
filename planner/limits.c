/* SPDX-License-Identifier: MIT */
/* Deadlines and power caps: what they mean, and what to say if they cannot be kept. */
#include <errno.h>

#include "lib/num.h"
#include "planner/planner.h"

void planner_set_limits(struct planner *p)
{
	struct problem *pb = &p->problem;

	p->out.goal.deadline_ns = limit_ns(&p->task.opts.deadline, p->out.base_ev.total.time_ns);
	pb->cap_mw = p->out.goal.cap_mw;
	pb->limited = pb->cap_mw || p->task.opts.phase_deadline.ns || p->task.opts.phase_deadline.relative;
	for (uint32_t i = 0; i < pb->n_phases; i++)
		pb->phases[i].limit_ns =
			limit_ns(&p->task.opts.phase_deadline, p->out.base_ev.phase[i].time_ns);
}

#define TEXT 32

static const char *time_text(char *text, uint64_t ns)
{
	return num_time(text, TEXT, (double)ns * 1e-9);
}

static int say_late(const struct outcome *o, struct err *err)
{
	uint64_t deadline = o->goal.deadline_ns, fastest = o->best_ev.total.time_ns;
	char limit[TEXT], found[TEXT], by[TEXT], bound[TEXT];

	if (o->base_ev.total.time_ns < fastest)
		fastest = o->base_ev.total.time_ns;
	time_text(limit, deadline);
	time_text(found, fastest);
	time_text(by, fastest - deadline);
	time_text(bound, o->bound.time_ns);
	if (o->bound.time_ns > deadline)
		return err_set(err, -ERANGE,
			       "deadline %s cannot be met: the fastest plan found needs %s,\n"
			       "  %s too long; none can need less than %s",
			       limit, found, by, bound);
	return err_set(err, -ERANGE,
		       "deadline %s is not met by any plan found: the fastest needs %s,\n  %s too long\n"
		       "  it is not proven that there is none: no plan can need less than %s",
		       limit, found, by, bound);
}

/* How far an occurrence of phase @i is beyond its deadline, with the longest passage into it. */
static uint64_t phase_late(const struct outcome *o, uint32_t i, uint64_t *takes)
{
	const struct problem *pb = o->problem;
	uint64_t limit = pb->phases[i].limit_ns, passage = 0;

	for (uint32_t e = pb->edge_at[i]; e < pb->edge_at[i + 1]; e++)
		if (o->best_ev.edge[e].time_ns > passage)
			passage = o->best_ev.edge[e].time_ns;
	*takes = o->best_ev.phase[i].time_ns + passage;
	return limit && *takes > limit ? *takes - limit : 0;
}

static int say_phase_late(const struct outcome *o, struct err *err)
{
	const struct problem *pb = o->problem;
	uint64_t most = 0, takes = 0, late, ns;
	char limit[TEXT], found[TEXT], by[TEXT];
	uint32_t at = 0;

	for (uint32_t i = 0; i < pb->n_phases; i++) {
		late = phase_late(o, i, &ns);
		if (late > most) {
			most = late;
			takes = ns;
			at = i;
		}
	}
	time_text(limit, pb->phases[at].limit_ns);
	time_text(found, takes);
	time_text(by, most);
	return err_set(err, -ERANGE,
		       "%s cannot keep to its deadline of %s: in the best plan found it takes\n"
		       "  %s with the changes before it, %s too long%s",
		       o->task->model->phases[pb->order[pb->phases[at].model_first]].name, limit, found, by,
		       o->impossible ? ";\n  no plan keeps to all deadlines"
				     : ";\n  it is not proven that no plan keeps to all deadlines");
}

static int say_over(const struct outcome *o, struct err *err)
{
	double cap = (double)o->goal.cap_mw / 1000, found = (double)o->best_ev.total.peak_mw / 1000;

	return err_set(err, -ERANGE,
		       "power cap %.2f W cannot be kept%s: the plan found that comes\n"
		       "  nearest draws %.2f W, %.2f W too much; none can draw less than %.2f W",
		       cap, o->goal.deadline_ns ? " within the deadline" : "", found, found - cap,
		       (double)o->bound.peak_mw / 1000);
}

int planner_impossible(const struct outcome *o, struct err *err)
{
	const struct cost *best = &o->best_ev.total;

	if (best->late_ns)
		return say_phase_late(o, err);
	if (cost_late_ns(best, &o->goal))
		return say_late(o, err);
	return say_over(o, err);
}
