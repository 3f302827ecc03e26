/* SPDX-License-Identifier: MIT */
#include "scheduler/simulate/simulate.h"

#include <math.h>
#include <string.h>

#include "scheduler/search/search.h"

#define OVERDUE 0.1 /* of its prediction a task that has passed it is thought to take still */
#define PLANNED 512 /* tasks that wait are scheduled at an event, those that came first */

const char *const policies[] = {"fifo", "backfill", "heft", "genetic", "search", NULL};

enum stage { STAGE_UNKNOWN, STAGE_WAITS, STAGE_RUNS, STAGE_ENDED };

struct job {
	enum stage stage;
	bool failed;        /* once */
	size_t left;        /* tasks that it waits for and that have not ended */
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
	size_t *waits, n_waits; /* tasks that are known and do not run, as they came */
	size_t *runs, n_runs;
	size_t next;   /* the first task that is not known */
	size_t *taken; /* by which task + 1 a node is taken; 0: it is free */
	size_t idle;   /* nodes that are free */
	struct simulated out;
};

static const struct work_task *task_of(const struct cluster *c, size_t t)
{
	return &c->load->w.tasks.at[t];
}

/* It waits, and all that it waits for has ended. */
static bool is_ready(const struct cluster *c, size_t t)
{
	return c->job[t].stage == STAGE_WAITS && !c->job[t].left;
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
	c->runs[c->n_runs++] = t;
	c->idle -= task->width;
	c->out.wait += j->failed ? 0 : c->now - task->release;
	c->out.runs++;
}

/* Those that were started do not wait any more. */
static void forget_started(struct cluster *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_waits; i++)
		if (c->job[c->waits[i]].stage == STAGE_WAITS)
			c->waits[n++] = c->waits[i];
	c->n_waits = n;
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

struct ending {
	double at;
	size_t task;
};

static int by_end(const void *a, const void *b)
{
	const struct ending *x = a, *y = b;

	return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->task > y->task) - (x->task < y->task);
}

/* Mark nodes of @j for one that needs @left more; how many those are. */
static size_t keep_nodes(const struct job *j, size_t width, size_t left, bool *kept)
{
	size_t n = width < left ? width : left;

	for (size_t k = 0; k < n; k++)
		kept[j->host[k]] = true;
	return n;
}

/* The nodes that are kept for task @t, which cannot start yet, and the time when it is thought to. */
static double keep_for(const struct cluster *c, size_t t, bool *kept)
{
	size_t n = c->load->w.nodes.n, left = task_of(c, t)->width;
	struct ending *e = mem_new(c->n_runs + 1, sizeof(*e));
	double last = c->now;

	memset(kept, 0, n * sizeof(*kept));
	for (size_t i = 0; i < n && left; i++)
		if (!c->taken[i]) {
			kept[i] = true;
			left--;
		}
	for (size_t i = 0; i < c->n_runs; i++)
		e[i] = (struct ending){thought_end(c, c->runs[i]), c->runs[i]};
	qsort(e, c->n_runs, sizeof(*e), by_end);
	for (size_t i = 0; left; i++) {
		left -= keep_nodes(&c->job[e[i].task], task_of(c, e[i].task)->width, left, kept);
		last = fmax(last, e[i].at);
	}
	free(e);
	return last;
}

/* The queue in the order of arrival; behind a task that cannot start only with backfill. */
static void start_queue(struct cluster *c)
{
	const struct workflow *w = &c->load->w;
	bool *kept = mem_new(w->nodes.n, sizeof(*kept)), waits = false;
	size_t *host = mem_new(w->nodes.n, sizeof(*host));
	double then = 0;

	for (size_t i = 0; i < c->n_waits && c->idle; i++) {
		size_t t = c->waits[i];
		const struct work_task *task = task_of(c, t);
		bool fits = task->width <= c->idle;

		if (!is_ready(c, t))
			continue;
		if (!waits && fits && free_nodes(c, task->width, NULL, host)) {
			start_on(c, t, host);
		} else if (!waits) {
			if (c->policy == POLICY_FIFO)
				break;
			waits = true;
			then = keep_for(c, t, kept);
		} else if (fits && (free_nodes(c, task->width, kept, host) ||
				    (free_nodes(c, task->width, NULL, host) &&
				     c->now + task->seconds / slowest(c, host, task->width) <= then))) {
			start_on(c, t, host);
		}
	}
	forget_started(c);
	free(kept);
	free(host);
}

/* Task @t, number @i of @rest: what it waits for, of those that wait; when the others are thought to end. */
static void rest_after(const struct cluster *c, struct workflow *rest, size_t i, size_t t, const size_t *at)
{
	const struct work_task *task = task_of(c, t);

	for (size_t k = 0; k < task->after.n; k++) {
		size_t other = task->after.at[k];

		if (c->job[other].stage == STAGE_WAITS)
			vec_push(&rest->tasks.at[i].after, at[other]);
		else if (c->job[other].stage == STAGE_RUNS)
			rest->tasks.at[i].release = fmax(rest->tasks.at[i].release, thought_end(c, other));
	}
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
	/* A task waits for such that came before it: they are among the first as well. */
	for (size_t i = 0; i < c->n_waits && i < PLANNED; i++) {
		size_t t = c->waits[i];
		struct work_task task = *task_of(c, t);

		task.name = task.command = NULL;
		task.release = c->now;
		memset(&task.after, 0, sizeof(task.after));
		memset(&task.next, 0, sizeof(task.next));
		at[t] = i;
		which[i] = t;
		vec_push(&rest->tasks, task);
	}
	for (size_t i = 0; i < rest->tasks.n; i++)
		rest_after(c, rest, i, which[i], at);
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

/* Could one of those that are scheduled start at once? */
static bool may_start(const struct cluster *c)
{
	for (size_t i = 0; i < c->n_waits && i < PLANNED; i++)
		if (is_ready(c, c->waits[i]) && task_of(c, c->waits[i])->width <= c->idle)
			return true;
	return false;
}

static void start_planned(struct cluster *c)
{
	const struct search_limit limit = {.effort = c->effort};
	size_t *which = mem_new(PLANNED, sizeof(*which));
	struct workflow rest = {0};
	struct schedule s;

	if (may_start(c) && rest_make(c, &rest, which)) {
		schedule_make(&s, &rest);
		if (c->policy == POLICY_HEFT) {
			search_heft(&rest, &s);
		} else {
			go_on(c, &rest, which, &s);
			(c->policy == POLICY_GENETIC ? search_genetic
						     : search_local)(&rest, &s, c->seed + c->events, &limit);
		}
		for (size_t i = 0; i < s.tasks; i++) {
			size_t t = s.order[i], task = which[t];

			c->job[task].rank = (double)i;
			if (s.start[t] <= c->now && is_ready(c, task))
				start_on(c, task, s.host + s.first[t]);
		}
		forget_started(c);
		schedule_release(&s);
	}
	free(which);
	work_release(&rest);
}

/* Task @t fails for the first time, and waits again where it stood. */
static void wait_again(struct cluster *c, size_t t)
{
	size_t i = c->n_waits++;

	for (; i && c->waits[i - 1] > t; i--)
		c->waits[i] = c->waits[i - 1];
	c->waits[i] = t;
	c->job[t].failed = true;
	c->job[t].stage = STAGE_WAITS;
}

static void run_ends(struct cluster *c, size_t t)
{
	const struct work_task *task = task_of(c, t);
	struct job *j = &c->job[t];

	for (size_t k = 0; k < task->width; k++)
		c->taken[j->host[k]] = 0;
	c->idle += task->width;
	c->out.idle -= (c->now - j->start) * (double)task->width;
	if (c->load->fails[t] > 0 && !j->failed) {
		wait_again(c, t);
		return;
	}
	j->stage = STAGE_ENDED;
	for (size_t k = 0; k < task->next.n; k++)
		c->job[task->next.at[k]].left--;
	c->out.ended++;
	c->out.makespan = c->now;
}

/* All that has happened up to c->now: ends, failures, arrivals. */
static void take_stock(struct cluster *c)
{
	for (size_t i = 0; i < c->n_runs;) {
		size_t t = c->runs[i];

		if (c->job[t].ends > c->now) {
			i++;
			continue;
		}
		c->runs[i] = c->runs[--c->n_runs];
		run_ends(c, t);
	}
	for (; c->next < c->load->w.tasks.n && task_of(c, c->next)->release <= c->now; c->next++) {
		c->job[c->next].stage = STAGE_WAITS;
		c->job[c->next].rank = INFINITY;
		c->waits[c->n_waits++] = c->next;
	}
}

/* When something happens next; INFINITY: nothing will. */
static double next_event(const struct cluster *c)
{
	double next = c->next < c->load->w.tasks.n ? task_of(c, c->next)->release : INFINITY;

	for (size_t i = 0; i < c->n_runs; i++)
		next = fmin(next, c->job[c->runs[i]].ends);
	return next;
}

static void cluster_release(struct cluster *c)
{
	for (size_t t = 0; t < c->load->w.tasks.n; t++)
		free(c->job[t].host);
	free(c->job);
	free(c->taken);
	free(c->waits);
	free(c->runs);
}

struct simulated simulate(const struct load *l, enum policy policy, uint64_t seed, uint64_t effort)
{
	size_t n = l->w.tasks.n;
	struct cluster c = {
		.load = l,
		.policy = policy,
		.seed = seed,
		.effort = effort,
		.idle = l->w.nodes.n,
		.job = mem_new(n, sizeof(*c.job)),
		.taken = mem_new(l->w.nodes.n, sizeof(*c.taken)),
		.waits = mem_new(n, sizeof(*c.waits)),
		.runs = mem_new(n, sizeof(*c.runs)),
	};

	for (size_t t = 0; t < n; t++) {
		c.job[t].host = mem_new(l->w.tasks.at[t].width, sizeof(size_t));
		c.job[t].left = l->w.tasks.at[t].after.n;
	}
	while (isfinite(c.now = next_event(&c))) {
		take_stock(&c);
		c.events++;
		if (policy == POLICY_FIFO || policy == POLICY_EASY)
			start_queue(&c);
		else
			start_planned(&c);
	}
	c.out.wait /= (double)n;
	c.out.idle = 1 + c.out.idle / (c.out.makespan * (double)l->w.nodes.n);
	cluster_release(&c);
	return c.out;
}
