/* SPDX-License-Identifier: MIT */
#include "scheduler/simulate/mold.h"

#include <math.h>
#include <string.h>

#include "lib/rng.h"
#include "scheduler/search/search.h"

#define BANDS    4
#define OVERDUE  0.1 /* of its prediction a task that has passed it is thought to take still */
#define LIMITS   16  /* times that each task may take at most, of which the best one is planned by */
#define WORTH    8   /* tasks that the mean which is believed beforehand counts as */
#define IMAGINED 64  /* loads at most that are run to see what ends earliest, ... */
#define FEWEST   4   /* ... these at least, ... */
#define CLEAR    3   /* ... until the best one is so many standard errors ahead */
#define NO_TASK  SIZE_MAX

const char *const mold_policies[] = {"sequential", "parallel", "blind", "probed", "perfect", "chosen", NULL};

/* Seconds on one node; shares of the bands for the mean times that tables G.1 and G.2 imply. */
static const double band[BANDS] = {2500, 9000, 18000, 42000};
static const double share[][BANDS] = {
	[MOLD_ATLAS] = {0.25, 0.20, 0.20, 0.35}, [MOLD_REGISTRATIONS] = {0.47, 0.27, 0.16, 0.10}};

/* A registration, or a probe of one: these stand behind all registrations. */
struct mold_job {
	double takes, predicted; /* on one node; predicted: when its probe has ended */
	size_t after;            /* NO_TASK: it waits for none */
	size_t width;
	double start, ends, expected; /* of its run; ends: in truth */
	bool known, runs, ended;
};

struct mold {
	const struct mold_case *m;
	struct mold_job *job;
	size_t n;      /* jobs: registrations, and probes if they are made */
	size_t tasks;  /* registrations */
	double *freed; /* of each node: when it is thought to be free */
	size_t idle;   /* nodes */
	size_t ended;  /* registrations */
	double sum;    /* what these took, on one node */
	double now, busy;
	struct simulated out;
};

double mold_speedup(size_t nodes)
{
	static const double at[][2] = {{1, 1}, {2, 1.9}, {4, 3.7}, {8, 6.2}, {16, 10.8}, {24, 13.9}};
	double n = (double)nodes;

	for (size_t i = 1; i < sizeof(at) / sizeof(at[0]); i++)
		if (n <= at[i][0])
			return at[i - 1][1] +
			       (at[i][1] - at[i - 1][1]) * (n - at[i - 1][0]) / (at[i][0] - at[i - 1][0]);
	return 13.9;
}

/* What is believed of a registration before any has ended. */
static double mold_mean(const struct mold_case *m)
{
	double mean = 0;

	for (size_t i = 0; i < BANDS; i++)
		mean += share[m->load][i] * band[i];
	return mean;
}

/* Load number @seed; with probes @probed. */
static void mold_make(struct mold *s, const struct mold_case *m, uint64_t seed, bool probed)
{
	size_t n = m->tasks;

	*s = (struct mold){.m = m, .tasks = n, .n = probed ? 2 * n : n, .idle = m->nodes};
	s->job = mem_new(2 * n, sizeof(*s->job));
	s->freed = mem_new(m->nodes, sizeof(*s->freed));
	for (size_t i = 0; i < n; i++) {
		struct rng rng = rng_keyed(seed, i, 25, m->load);
		double u = rng_unit(&rng), takes, off;
		size_t b = 0;

		while (b + 1 < BANDS && u >= share[m->load][b])
			u -= share[m->load][b++];
		/* A mean |N| is 0.8 deviations. */
		takes = band[b] * exp(0.15 * rng_normal(&rng));
		off = m->error / 0.8 * rng_normal(&rng);
		s->job[i] =
			(struct mold_job){.takes = takes, .predicted = takes * exp(off), .after = NO_TASK};
		if (m->load == MOLD_REGISTRATIONS && i && rng_below(&rng, 5) == 0)
			s->job[i].after = rng_below(&rng, i);
		s->job[n + i] = (struct mold_job){.takes = m->cost * takes, .after = NO_TASK};
	}
}

static void mold_release(struct mold *s)
{
	free(s->job);
	free(s->freed);
}

/* What job @i is thought to take on one node. */
static double thought(const struct mold *s, size_t i, enum mold_policy policy)
{
	double mean = (WORTH * mold_mean(s->m) + s->sum) / (WORTH + (double)s->ended);

	if (i >= s->tasks)
		return s->m->cost * mean;
	if (policy == MOLD_PERFECT)
		return s->job[i].takes;
	return s->job[i].known ? s->job[i].predicted : mean;
}

static bool mold_ready(const struct mold *s, size_t i)
{
	const struct mold_job *j = &s->job[i];
	bool probe = i >= s->tasks || s->n == s->tasks || s->job[s->tasks + i].ended;

	return !j->runs && !j->ended && probe && (j->after == NO_TASK || s->job[j->after].ended);
}

static void mold_start(struct mold *s, size_t i, size_t width, enum mold_policy policy)
{
	struct mold_job *j = &s->job[i];
	double speed = i < s->tasks ? mold_speedup(width) : 1;

	j->width = width;
	j->runs = true;
	j->start = s->now;
	j->ends = s->now + j->takes / speed;
	j->expected = s->now + thought(s, i, policy) / speed;
	s->idle -= width;
	s->out.runs++;
	s->out.wait += i < s->tasks ? s->now / (double)s->tasks : 0;
}

/* The first in the queue keeps all others waiting. */
static void mold_queue(struct mold *s, size_t width, enum mold_policy policy)
{
	for (size_t i = 0; i < s->tasks; i++) {
		if (s->job[i].runs || s->job[i].ended)
			continue;
		if (s->idle < width || !mold_ready(s, i))
			return;
		mold_start(s, i, width, policy);
	}
}

/* When job @i, which runs, is thought to end. */
static double mold_end(const struct mold *s, size_t i)
{
	const struct mold_job *j = &s->job[i];

	return j->expected > s->now ? j->expected : s->now + OVERDUE * (s->now - j->start);
}

/* When nodes are thought to be free, those of what runs first. */
static void mold_nodes(struct mold *s, struct workflow *w)
{
	size_t k = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct mold_job *j = &s->job[i];

		for (size_t c = 0; j->runs && c < j->width; c++)
			s->freed[k++] = mold_end(s, i);
	}
	while (k < s->m->nodes)
		s->freed[k++] = s->now;
	for (k = 0; k < s->m->nodes; k++)
		vec_push(&w->nodes, ((struct work_node){NULL, 1, s->freed[k]}));
}

/* What waits, as a workflow; @which job each task is. */
static bool mold_rest(struct mold *s, struct workflow *w, size_t *which, enum mold_policy policy)
{
	size_t *at = mem_new(s->n, sizeof(*at));

	*w = (struct workflow){0};
	mold_nodes(s, w);
	for (size_t i = s->n; i-- > 0;) {
		struct work_task t = {.width = 1, .deadline = INFINITY, .release = s->now};
		const struct mold_job *j = &s->job[i];

		if (j->runs || j->ended)
			continue;
		t.seconds = t.low = t.high = thought(s, i, policy);
		at[i] = w->tasks.n;
		which[w->tasks.n] = i;
		vec_push(&w->tasks, t);
	}
	for (size_t k = 0; k < w->tasks.n; k++) {
		size_t i = which[k], other = s->job[i].after, probe = s->tasks + i;
		struct work_task *t = &w->tasks.at[k];

		if (i < s->tasks && s->n > s->tasks && !s->job[probe].ended && !s->job[probe].runs)
			vec_push(&t->after, at[probe]);
		else if (i < s->tasks && s->n > s->tasks && !s->job[probe].ended)
			t->release = mold_end(s, probe);
		if (other != NO_TASK && s->job[other].runs)
			t->release = fmax(t->release, mold_end(s, other));
		else if (other != NO_TASK && !s->job[other].ended)
			vec_push(&t->after, at[other]);
	}
	free(at);
	return w->tasks.n && !work_settle(w, NULL);
}

/* Each task on as few nodes as it takes no longer on than @limit; @one: its time on one node. */
static void mold_widths(const struct mold *s, struct workflow *w, const size_t *which, const double *one,
			double limit)
{
	for (size_t k = 0; k < w->tasks.n; k++) {
		size_t width = 1;

		while (which[k] < s->tasks && width < s->m->nodes && one[k] / mold_speedup(width) > limit)
			width++;
		w->tasks.at[k].width = width;
		w->tasks.at[k].seconds = which[k] < s->tasks ? one[k] / mold_speedup(width) : one[k];
	}
}

/* The limit by which all that waits ends first, each placed where it ends first; start what starts now. */
static void mold_plan(struct mold *s, enum mold_policy policy)
{
	size_t *which = mem_new(s->n, sizeof(*which));
	double *one = mem_new(s->n, sizeof(*one)), longest = 0, best = INFINITY, limit = 0;
	struct workflow w;
	struct schedule plan;

	if (s->idle && mold_rest(s, &w, which, policy)) {
		for (size_t k = 0; k < w.tasks.n; k++)
			longest = fmax(longest, one[k] = w.tasks.at[k].seconds);
		for (size_t step = 0; step <= LIMITS; step++) {
			double most = longest * pow(mold_speedup(s->m->nodes) * 4, -(double)step / LIMITS);

			mold_widths(s, &w, which, one, most);
			schedule_make(&plan, &w);
			search_heft(&w, &plan);
			if (plan.makespan < best * (1 - 1e-9)) {
				best = plan.makespan;
				limit = most;
			}
			schedule_release(&plan);
		}
		mold_widths(s, &w, which, one, limit);
		schedule_make(&plan, &w);
		search_heft(&w, &plan);
		for (size_t i = 0; i < plan.tasks; i++) {
			size_t k = plan.order[i], width = w.tasks.at[k].width;

			if (plan.start[k] <= s->now && width <= s->idle && mold_ready(s, which[k]))
				mold_start(s, which[k], width, policy);
		}
		schedule_release(&plan);
		work_release(&w);
	}
	free(which);
	free(one);
}

/* All that ends at the next time when something does; false: nothing runs. */
static bool mold_step(struct mold *s)
{
	double next = INFINITY;

	for (size_t i = 0; i < s->n; i++)
		if (s->job[i].runs)
			next = fmin(next, s->job[i].ends);
	if (next == INFINITY)
		return false;
	s->now = next;
	for (size_t i = 0; i < s->n; i++) {
		struct mold_job *j = &s->job[i];

		if (!j->runs || j->ends > next)
			continue;
		j->runs = false;
		j->ended = true;
		s->idle += j->width;
		s->busy += (j->ends - j->start) * (double)j->width;
		if (i >= s->tasks) {
			s->job[i - s->tasks].known = true;
			continue;
		}
		s->ended++;
		s->sum += j->takes;
	}
	return true;
}

static struct simulated mold_simulate(const struct mold_case *m, uint64_t seed, enum mold_policy policy)
{
	struct mold s;

	mold_make(&s, m, seed, policy == MOLD_PROBED);
	do {
		if (policy == MOLD_SEQUENTIAL || policy == MOLD_PARALLEL)
			mold_queue(&s, policy == MOLD_PARALLEL ? m->nodes : 1, policy);
		else
			mold_plan(&s, policy);
	} while (mold_step(&s));
	s.out.makespan = s.now;
	s.out.idle = 1 - s.busy / (s.now * (double)m->nodes);
	s.out.ended = s.ended;
	mold_release(&s);
	return s.out;
}

/* Logarithms of the makespans of made-up loads by each policy that needs no truth. */
struct imagined {
	double ln[IMAGINED][MOLD_PERFECT];
	size_t n;
};

static double imagined_mean(const struct imagined *g, unsigned p)
{
	double sum = 0;

	for (size_t k = 0; k < g->n; k++)
		sum += g->ln[k][p];
	return sum / (double)g->n;
}

/* Is @best better than @other by more than chance, load by load? */
static bool is_clear(const struct imagined *g, unsigned best, unsigned other)
{
	double mean = imagined_mean(g, other) - imagined_mean(g, best), squares = 0;

	for (size_t k = 0; k < g->n; k++)
		squares += pow(g->ln[k][other] - g->ln[k][best] - mean, 2);
	return mean * mean > CLEAR * CLEAR * squares / (double)(g->n * (g->n - 1));
}

/*
 * What ends earliest for loads like this one, which are made up of what is known before any task ran: as many as it
 * needs to tell, IMAGINED at most.
 */
static enum mold_policy mold_choose(const struct mold_case *m, uint64_t seed)
{
	struct imagined g = {.n = 0};
	unsigned best = 0;

	for (bool clear = false; !clear && g.n < IMAGINED;) {
		struct rng rng = rng_keyed(seed, g.n, 26, 0);
		uint64_t other = rng_u64(&rng);

		for (unsigned p = 0; p < MOLD_PERFECT; p++)
			g.ln[g.n][p] = log(mold_simulate(m, other, (enum mold_policy)p).makespan);
		g.n++;
		clear = g.n >= FEWEST;
		best = 0;
		for (unsigned p = 1; p < MOLD_PERFECT; p++)
			if (imagined_mean(&g, p) < imagined_mean(&g, best))
				best = p;
		for (unsigned p = 0; p < MOLD_PERFECT; p++)
			clear = clear && (p == best || is_clear(&g, best, p));
	}
	return (enum mold_policy)best;
}

struct simulated mold_run(const struct mold_case *m, uint64_t seed, enum mold_policy policy,
			  enum mold_policy *done)
{
	*done = policy == MOLD_CHOSEN ? mold_choose(m, seed) : policy;
	return mold_simulate(m, seed, *done);
}
