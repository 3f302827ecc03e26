/* SPDX-License-Identifier: MIT */
#include "scheduler/simulate/simulate.h"

#include <math.h>
#include <string.h>

#include "scheduler/search/search.h"

#define OVERDUE 0.1 /* of its prediction a task that has passed it is thought to take still */

const char *const policies[] = {"fifo", "backfill", "heft", "genetic", NULL};

enum stage { STAGE_UNKNOWN, STAGE_WAITS, STAGE_RUNS, STAGE_ENDED };

struct job {
	enum stage stage;
	bool failed;        /* once */
	double start, ends; /* of the run that goes on; ends: in truth */
	double expected;    /* ... as predicted */
	double rank;        /* in the last schedule */
	size_t *host;       /* its nodes */
};

struct cluster {
	const struct load *load;
	enum policy policy;
	uint64_t seed, effort, events;
	double now;
	struct job *job;
	size_t *taken; /* by which task + 1 a node is taken; 0: it is free */
	size_t idle;   /* nodes that are free */
	struct simulated out;
};

static const struct work_task *task_of(const struct cluster *c, size_t t)
{
	return &c->load->w.tasks.at[t];
}

/* Has all that @t waits for ended? */
static bool is_ready(const struct cluster *c, size_t t)
{
	const struct work_task *task = task_of(c, t);
	bool ready = c->job[t].stage == STAGE_WAITS;

	for (size_t k = 0; ready && k < task->after.n; k++)
		ready = c->job[task->after.at[k]].stage == STAGE_ENDED;
	return ready;
}

static double slowest(const struct cluster *c, const size_t *host, size_t n)
{
	double speed = INFINITY;

	for (size_t k = 0; k < n; k++)
		speed = fmin(speed, c->load->w.nodes.at[host[k]].speed);
	return speed;
}

static void start_on(struct cluster *c, size_t t, const size_t *host)
{
	const struct work_task *task = task_of(c, t);
	struct job *j = &c->job[t];
	double speed = slowest(c, host, task->width), part = c->load->fails[t];

	memcpy(j->host, host, task->width * sizeof(*host));
	j->stage = STAGE_RUNS;
	j->start = c->now;
	j->ends = c->now + c->load->takes[t] / speed * (part > 0 && !j->failed ? part : 1);
	j->expected = c->now + task->seconds / speed;
	for (size_t k = 0; k < task->width; k++)
		c->taken[host[k]] = t + 1;
	c->idle -= task->width;
	c->out.wait += j->failed ? 0 : c->now - task->release;
	c->out.runs++;
}

/* When a task that runs is thought to end. */
static double thought_end(const struct cluster *c, size_t t)
{
	const struct job *j = &c->job[t];

	return j->expected > c->now ? j->expected : c->now + OVERDUE * (c->now - j->start);
}

/* The fastest nodes that are free and not in @kept (NULL: none is kept): true if there are @width. */
static bool free_nodes(const struct cluster *c, size_t width, const bool *kept, size_t *host)
{
	const struct workflow *w = &c->load->w;
	size_t have = 0;

	for (size_t i = 0; i < w->nodes.n && have < width; i++) {
		size_t node = w->by_speed[i];

		if (!c->taken[node] && !(kept && kept[node]))
			host[have++] = node;
	}
	return have == width;
}

/* The nodes that are kept for task @t, which cannot start yet, and the time when it is thought to. */
static double keep_for(const struct cluster *c, size_t t, bool *kept)
{
	size_t n = c->load->w.nodes.n, width = task_of(c, t)->width;
	double last = c->now;

	memset(kept, 0, n * sizeof(*kept));
	for (size_t have = 0; have < width; have++) {
		double best = INFINITY;
		size_t at = 0;

		for (size_t i = 0; i < n; i++) {
			double free = c->taken[i] ? thought_end(c, c->taken[i] - 1) : c->now;

			if (kept[i] || free >= best)
				continue;
			best = free;
			at = i;
		}
		kept[at] = true;
		last = fmax(last, best);
	}
	return last;
}

/* The queue in the order of arrival; behind a task that cannot start only with backfill. */
static void start_queue(struct cluster *c)
{
	const struct workflow *w = &c->load->w;
	bool *kept = mem_new(w->nodes.n, sizeof(*kept)), waits = false;
	size_t *host = mem_new(w->nodes.n, sizeof(*host));
	double then = 0;

	for (size_t t = 0; t < w->tasks.n && c->idle; t++) {
		const struct work_task *task = task_of(c, t);

		if (!is_ready(c, t))
			continue;
		if (!waits && free_nodes(c, task->width, NULL, host)) {
			start_on(c, t, host);
		} else if (!waits) {
			if (c->policy == POLICY_FIFO)
				break;
			waits = true;
			then = keep_for(c, t, kept);
		} else if (free_nodes(c, task->width, kept, host) ||
			   (free_nodes(c, task->width, NULL, host) &&
			    c->now + task->seconds / slowest(c, host, task->width) <= then)) {
			start_on(c, t, host);
		}
	}
	free(kept);
	free(host);
}

/* What waits, on nodes that are free when what runs is thought to end: @which of the load each task is. */
static bool rest_make(const struct cluster *c, struct workflow *rest, size_t *which)
{
	const struct workflow *w = &c->load->w;
	size_t *at = mem_new(w->tasks.n, sizeof(*at));

	*rest = (struct workflow){0};
	for (size_t i = 0; i < w->nodes.n; i++)
		vec_push(&rest->nodes,
			 ((struct work_node){NULL, w->nodes.at[i].speed,
					     c->taken[i] ? thought_end(c, c->taken[i] - 1) : c->now}));
	for (size_t t = 0; t < w->tasks.n; t++)
		if (c->job[t].stage == STAGE_WAITS) {
			struct work_task task = *task_of(c, t);

			task.name = task.command = NULL;
			task.release = c->now;
			memset(&task.after, 0, sizeof(task.after));
			memset(&task.next, 0, sizeof(task.next));
			at[t] = rest->tasks.n;
			which[rest->tasks.n] = t;
			vec_push(&rest->tasks, task);
		}
	for (size_t i = 0; i < rest->tasks.n; i++) {
		const struct work_task *task = task_of(c, which[i]);

		for (size_t k = 0; k < task->after.n; k++) {
			size_t other = task->after.at[k];

			if (c->job[other].stage == STAGE_WAITS)
				vec_push(&rest->tasks.at[i].after, at[other]);
			else if (c->job[other].stage == STAGE_RUNS)
				rest->tasks.at[i].release =
					fmax(rest->tasks.at[i].release, thought_end(c, other));
		}
	}
	free(at);
	return rest->tasks.n && !work_settle(rest, NULL);
}

struct ordered {
	double rank;
	size_t task;
};

static int by_rank(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
				  : (x->task > y->task) - (x->task < y->task);
}

/* The order of the last schedule, new tasks behind it; better than HEFT's, or HEFT's. */
static void go_on(const struct cluster *c, const struct workflow *rest, const size_t *which,
		  struct schedule *s)
{
	struct ordered *o = mem_new(rest->tasks.n, sizeof(*o));
	struct schedule heft;

	for (size_t i = 0; i < rest->tasks.n; i++)
		o[i] = (struct ordered){c->job[which[i]].rank, i};
	qsort(o, rest->tasks.n, sizeof(*o), by_rank);
	for (size_t i = 0; i < rest->tasks.n; i++)
		s->order[i] = o[i].task;
	schedule_place(rest, s);
	schedule_make(&heft, rest);
	search_heft(rest, &heft);
	if (heft.cost < s->cost)
		schedule_copy(s, &heft);
	schedule_release(&heft);
	free(o);
}

static void start_planned(struct cluster *c)
{
	size_t *which = mem_new(c->load->w.tasks.n, sizeof(*which));
	struct workflow rest = {0};
	struct schedule s;

	if (c->idle && rest_make(c, &rest, which)) {
		schedule_make(&s, &rest);
		if (c->policy == POLICY_HEFT) {
			search_heft(&rest, &s);
		} else {
			go_on(c, &rest, which, &s);
			search_genetic(&rest, &s, c->seed + c->events,
				       &(struct search_limit){.effort = c->effort});
		}
		for (size_t i = 0; i < s.tasks; i++) {
			size_t t = s.order[i], task = which[t];

			c->job[task].rank = (double)i;
			if (s.start[t] <= c->now && is_ready(c, task))
				start_on(c, task, s.host + s.first[t]);
		}
		schedule_release(&s);
	}
	free(which);
	work_release(&rest);
}

/* All that has happened up to c->now: ends, failures, arrivals. */
static void take_stock(struct cluster *c)
{
	for (size_t t = 0; t < c->load->w.tasks.n; t++) {
		struct job *j = &c->job[t];

		if (j->stage == STAGE_UNKNOWN && task_of(c, t)->release <= c->now) {
			j->stage = STAGE_WAITS;
			j->rank = INFINITY;
		}
		if (j->stage != STAGE_RUNS || j->ends > c->now)
			continue;
		for (size_t k = 0; k < task_of(c, t)->width; k++)
			c->taken[j->host[k]] = 0;
		c->idle += task_of(c, t)->width;
		c->out.idle -= (c->now - j->start) * (double)task_of(c, t)->width;
		if (c->load->fails[t] > 0 && !j->failed) {
			j->failed = true;
			j->stage = STAGE_WAITS;
			continue;
		}
		j->stage = STAGE_ENDED;
		c->out.ended++;
		c->out.makespan = c->now;
	}
}

/* When something happens next; INFINITY: nothing will. */
static double next_event(const struct cluster *c)
{
	double next = INFINITY;

	for (size_t t = 0; t < c->load->w.tasks.n; t++) {
		if (c->job[t].stage == STAGE_UNKNOWN)
			next = fmin(next, task_of(c, t)->release);
		else if (c->job[t].stage == STAGE_RUNS)
			next = fmin(next, c->job[t].ends);
	}
	return next;
}

struct simulated simulate(const struct load *l, enum policy policy, uint64_t seed, uint64_t effort)
{
	struct cluster c = {
		.load = l, .policy = policy, .seed = seed, .effort = effort, .idle = l->w.nodes.n};

	c.job = mem_new(l->w.tasks.n, sizeof(*c.job));
	c.taken = mem_new(l->w.nodes.n, sizeof(*c.taken));
	for (size_t t = 0; t < l->w.tasks.n; t++)
		c.job[t].host = mem_new(l->w.tasks.at[t].width, sizeof(size_t));
	while (isfinite(c.now = next_event(&c))) {
		take_stock(&c);
		c.events++;
		if (policy == POLICY_FIFO || policy == POLICY_EASY)
			start_queue(&c);
		else
			start_planned(&c);
	}
	c.out.wait /= (double)l->w.tasks.n;
	c.out.idle = 1 + c.out.idle / (c.out.makespan * (double)l->w.nodes.n);
	for (size_t t = 0; t < l->w.tasks.n; t++)
		free(c.job[t].host);
	free(c.job);
	free(c.taken);
	return c.out;
}
