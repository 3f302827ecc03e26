/* SPDX-License-Identifier: MIT */
/* The plan of what does not run yet, on the nodes that there are. */
#include "scheduler/slurm/plan.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/spawn/child.h"
#include "scheduler/search/search.h"

#define OVERDUE 0.05 /* of its prediction a task that has passed it is thought to take still */

int run_look_at_nodes(struct run *r, struct err *err)
{
	size_t n = r->w->nodes.n, found = 0;
	bool *there = mem_new(n, sizeof(*there));
	int ret = slurm_nodes(&r->slurm, err);

	for (size_t i = 0; !ret && i < r->slurm.n; i++) {
		size_t node = names_find(&r->nodes, r->slurm.at[i].name);

		if (node == NAMES_NONE)
			continue;
		r->usable[node] = r->slurm.at[i].usable;
		there[node] = true;
	}
	while (!ret && found < n && there[found])
		found++;
	if (!ret && found < n)
		ret = err_set(err, -EINVAL, "Slurm has no node '%s'", r->w->nodes.at[found].name);
	free(there);
	return ret;
}

bool run_next_node(const struct run *r, const char **nodes, size_t *node)
{
	size_t len = *nodes ? strcspn(*nodes, ",") : 0;

	if (!len)
		return false;
	*node = names_find_part(&r->nodes, *nodes, len);
	*nodes += len + ((*nodes)[len] == ',');
	return true;
}

/* Is one of the nodes of a plan not usable? */
static bool is_blocked(const struct run *r, const char *nodes)
{
	for (size_t node; run_next_node(r, &nodes, &node);)
		if (node != NAMES_NONE && !r->usable[node])
			return true;
	return false;
}

static bool is_open(const struct run *r, size_t t)
{
	return r->now[t].stage == STAGE_NEW || r->now[t].stage == STAGE_WAITS;
}

/* There is no plan, a node of it went, or one came. */
static bool needs_plan(struct run *r)
{
	bool needs = !r->j.plan.n, open = false;

	for (size_t t = 0; t < r->w->tasks.n; t++) {
		open = open || is_open(r, t);
		needs = needs ||
			(is_open(r, t) && (!r->j.plan.nodes[t] || is_blocked(r, r->j.plan.nodes[t])));
	}
	for (size_t i = 0; r->looked && i < r->w->nodes.n; i++)
		needs = needs || (r->usable[i] && !r->before[i]);
	return needs && open;
}

/* How long task @t, which runs, is thought to take still. */
static double rest_of(const struct run *r, size_t t, double speed)
{
	double takes = work_seconds(&r->w->tasks.at[t], speed),
	       ran = (double)(child_clock_ns() - r->now[t].since) / 1e9;

	return fmax(takes - ran, OVERDUE * takes);
}

/* When the nodes of task @t, which runs, are thought to be free. */
static double busy_until(const struct run *r, size_t t, double *freed)
{
	double speed = INFINITY, rest;
	const char *nodes = r->j.plan.nodes[t];

	for (size_t node; run_next_node(r, &nodes, &node);)
		if (node != NAMES_NONE)
			speed = fmin(speed, r->w->nodes.at[node].speed);
	if (!isfinite(speed))
		return 0;
	rest = rest_of(r, t, speed);
	nodes = r->j.plan.nodes[t];
	for (size_t node; run_next_node(r, &nodes, &node);)
		if (node != NAMES_NONE)
			freed[node] = fmax(freed[node], rest);
	return rest;
}

/* The tasks that are open as a workflow; @which of r->w they are, and the @hosts its nodes. */
struct rest {
	struct workflow w;
	size_t *which, *hosts, *at;
};

static void rest_release(struct rest *s)
{
	work_release(&s->w);
	free(s->which);
	free(s->hosts);
	free(s->at);
}

static void rest_tasks(const struct run *r, struct rest *s, const double *ends)
{
	for (size_t t = 0; t < r->w->tasks.n; t++) {
		struct work_task task = r->w->tasks.at[t];

		if (!is_open(r, t))
			continue;
		task.name = task.command = NULL;
		task.release = 0;
		memset(&task.after, 0, sizeof(task.after));
		memset(&task.next, 0, sizeof(task.next));
		s->at[t] = s->w.tasks.n;
		s->which[s->w.tasks.n] = t;
		vec_push(&s->w.tasks, task);
	}
	for (size_t i = 0; i < s->w.tasks.n; i++) {
		const struct work_task *task = &r->w->tasks.at[s->which[i]];

		for (size_t k = 0; k < task->after.n; k++) {
			size_t other = task->after.at[k];

			if (is_open(r, other))
				vec_push(&s->w.tasks.at[i].after, s->at[other]);
			else if (r->now[other].stage == STAGE_RUNS)
				s->w.tasks.at[i].release = fmax(s->w.tasks.at[i].release, ends[other]);
		}
	}
}

static void rest_make(const struct run *r, struct rest *s)
{
	size_t n = r->w->nodes.n;
	double *freed = mem_new(n, sizeof(*freed)), *ends = mem_new(r->w->tasks.n, sizeof(*ends));

	*s = (struct rest){.which = mem_new(r->w->tasks.n, sizeof(*s->which)),
			   .hosts = mem_new(n, sizeof(*s->hosts)),
			   .at = mem_new(r->w->tasks.n, sizeof(*s->at))};
	for (size_t t = 0; t < r->w->tasks.n; t++)
		if (r->now[t].stage == STAGE_RUNS)
			ends[t] = busy_until(r, t, freed);
	for (size_t i = 0; i < n; i++)
		if (r->usable[i]) {
			s->hosts[s->w.nodes.n] = i;
			vec_push(&s->w.nodes, ((struct work_node){NULL, r->w->nodes.at[i].speed, freed[i]}));
		}
	rest_tasks(r, s, ends);
	free(freed);
	free(ends);
}

/* The lines of a plan: what runs stays where it is; the rest by @p. */
static void plan_lines(const struct run *r, const struct rest *s, const struct schedule *p,
		       struct strbuf *out)
{
	size_t n = p->tasks;

	for (size_t i = 0; i < r->j.plan.n; i++)
		n += r->now[r->j.plan.order[i]].stage == STAGE_RUNS;
	strbuf_printf(out, "plan %zu\n", n);
	for (size_t i = 0; i < r->j.plan.n; i++) {
		size_t t = r->j.plan.order[i];

		if (r->now[t].stage == STAGE_RUNS)
			strbuf_printf(out, "order %zu %s\n", t, r->j.plan.nodes[t]);
	}
	for (size_t i = 0; i < p->tasks; i++) {
		size_t t = p->order[i];

		strbuf_printf(out, "order %zu ", s->which[t]);
		for (size_t k = p->first[t]; k < p->first[t + 1]; k++)
			strbuf_printf(out, "%s%s", k > p->first[t] ? "," : "",
				      r->w->nodes.at[s->hosts[p->host[k]]].name);
		strbuf_puts(out, "\n");
	}
	strbuf_printf(out, "planned %zu\n", n);
}

static size_t most_nodes(const struct rest *s)
{
	size_t most = 0;

	for (size_t i = 0; i < s->w.tasks.n; i++)
		most = s->w.tasks.at[i].width > most ? s->w.tasks.at[i].width : most;
	return most;
}

/* Search, write the plan down and say so. */
static int plan_rest(struct run *r, struct rest *s, struct err *err)
{
	const struct search_limit limit = {.effort = r->o->effort};
	struct strbuf lines = STRBUF_INIT;
	struct schedule p;
	int ret = work_settle(&s->w, err);

	if (ret)
		return ret;
	schedule_make(&p, &s->w);
	search_heft(&s->w, &p);
	search_local(&s->w, &p, r->o->seed, &limit);
	plan_lines(r, s, &p, &lines);
	ret = journal_add(&r->j, err, "%s", lines.s);
	if (!ret)
		ret = journal_read(&r->j, err);
	if (!ret)
		run_say(r, "planned: %zu tasks on %zu nodes, to end in %.6g s", s->w.tasks.n, s->w.nodes.n,
			p.makespan);
	schedule_release(&p);
	strbuf_release(&lines);
	return ret;
}

/* Jobs that wait are held first: what starts meanwhile would not be where the new plan has it. */
static int stop_waiting(struct run *r, struct err *err)
{
	size_t n = 0;
	int ret = 0;

	for (size_t t = 0; t < r->w->tasks.n; t++)
		n += r->now[t].stage == STAGE_WAITS;
	if (n)
		ret = journal_add(&r->j, err, "moving %zu\n", n);
	if (n && !ret) {
		r->j.moving = true;
		ret = run_hold(r, true, &n, err);
	}
	return n && !ret ? run_look_at_jobs(r, err) : ret;
}

/* On the nodes that there are; if a task needs more, it waits for them. */
static int plan_anew(struct run *r, struct err *err)
{
	struct rest s;
	size_t most;
	int ret = stop_waiting(r, err);

	if (ret)
		return ret;
	rest_make(r, &s);
	most = most_nodes(&s);
	if (most > s.w.nodes.n) {
		if (!r->waiting)
			run_say(r, "a task needs %zu nodes, and %zu can be used now", most, s.w.nodes.n);
		r->waiting = true;
	} else if (s.w.tasks.n) {
		ret = plan_rest(r, &s, err);
		r->waiting = false;
	}
	rest_release(&s);
	return ret;
}

int run_plan(struct run *r, struct err *err)
{
	/* What is known already about too few nodes is not asked again before they change. */
	bool changed = !r->looked || memcmp(r->before, r->usable, r->w->nodes.n * sizeof(*r->before));
	int ret = 0;

	if (needs_plan(r) && (changed || !r->waiting))
		ret = plan_anew(r, err);
	if (!ret)
		memcpy(r->before, r->usable, r->w->nodes.n * sizeof(*r->before));
	r->looked = r->looked || !ret;
	return ret;
}
