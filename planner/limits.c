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

static int say_late(const struct planner *p, struct err *err)
{
	uint64_t deadline = p->out.goal.deadline_ns, fastest = p->out.best_ev.total.time_ns;
	char limit[TEXT], found[TEXT], by[TEXT], bound[TEXT];

	if (p->out.base_ev.total.time_ns < fastest)
		fastest = p->out.base_ev.total.time_ns;
	time_text(limit, deadline);
	time_text(found, fastest);
	time_text(by, fastest - deadline);
	time_text(bound, p->out.bound.time_ns);
	if (p->out.bound.time_ns > deadline)
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
static uint64_t phase_late(const struct planner *p, uint32_t i, uint64_t *takes)
{
	const struct problem *pb = &p->problem;
	uint64_t limit = pb->phases[i].limit_ns, passage = 0;

	for (uint32_t e = pb->edge_at[i]; e < pb->edge_at[i + 1]; e++)
		if (p->out.best_ev.edge[e].time_ns > passage)
			passage = p->out.best_ev.edge[e].time_ns;
	*takes = p->out.best_ev.phase[i].time_ns + passage;
	return limit && *takes > limit ? *takes - limit : 0;
}

static int say_phase_late(const struct planner *p, struct err *err)
{
	const struct problem *pb = &p->problem;
	uint64_t most = 0, takes = 0, late, ns;
	char limit[TEXT], found[TEXT], by[TEXT];
	uint32_t at = 0;

	for (uint32_t i = 0; i < pb->n_phases; i++) {
		late = phase_late(p, i, &ns);
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
		       p->task.model->phases[pb->order[pb->phases[at].model_first]].name, limit, found, by,
		       p->out.impossible ? ";\n  no plan keeps to all deadlines"
					 : ";\n  it is not proven that no plan keeps to all deadlines");
}

static int say_over(const struct planner *p, struct err *err)
{
	double cap = (double)p->out.goal.cap_mw / 1000, found = (double)p->out.best_ev.total.peak_mw / 1000;

	return err_set(err, -ERANGE,
		       "power cap %.2f W cannot be kept%s: the plan found that comes\n"
		       "  nearest draws %.2f W, %.2f W too much; none can draw less than %.2f W",
		       cap, p->out.goal.deadline_ns ? " within the deadline" : "", found, found - cap,
		       (double)p->out.bound.peak_mw / 1000);
}

int planner_impossible(const struct planner *p, struct err *err)
{
	const struct cost *best = &p->out.best_ev.total;

	if (best->late_ns)
		return say_phase_late(p, err);
	if (cost_late_ns(best, &p->out.goal))
		return say_late(p, err);
	return say_over(p, err);
}
