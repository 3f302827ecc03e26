/* SPDX-License-Identifier: MIT */
/*
 * What the run would gain if a lock were held, or a function took, half as long.  The recorded
 * waits are played again with the shorter times: each thread goes on when it is done and what
 * it waited for has happened, in the recorded order.  That is the low end.  The high end is what
 * comes off the path itself: a run cannot gain more, since the rest of the path stays.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/search.h"
#include "lib/vec.h"
#include "record/run.h"
#include "report/critical/parts.h"
#include "report/time/collect.h"
#include "report/waits/waits.h"

#define GAINS_MAX 8u   /* functions, and locks */
#define LEAST     0.01 /* of the path: less is not worth a replay */
#define FAR       64u  /* waits back in which the one for a lock is looked for */
#define WAKE_NS   1e5  /* that it takes to wake a thread */
#define SEEN      0.8  /* of the time waited at a lock, in events: with less nobody can tell */

/* Work of one thread that is halved. */
struct cut {
	double begin, end;
};
struct cut_vec VEC(struct cut);
struct gain_vec VEC(struct crit_gain);
struct wait_refs VEC(const struct crit_wait *);

struct replay {
	const struct crit_graph *g;
	struct cut_vec *cuts; /* by thread; ascending, apart from each other */
	double *start;        /* by thread: when it begins in the replay */
	double **end;         /* by thread and wait */
	size_t *done;         /* waits of each that were played */
};

static int cut_order(const void *a, const void *b)
{
	const struct cut *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* How much of [@from, @to] lies in cuts. */
static double in_cuts(const struct cut_vec *c, double from, double to)
{
	size_t low = search_first(c->n, i, c->at[i].end <= from);
	double sum = 0;

	for (; low < c->n && c->at[low].begin < to; low++) {
		double begin = c->at[low].begin > from ? c->at[low].begin : from,
		       end = c->at[low].end < to ? c->at[low].end : to;

		sum += end > begin ? end - begin : 0;
	}
	return sum;
}

/* When in the replay @thread gets to what it did at @at; it ran then. */
static double played(const struct replay *r, uint32_t thread, double at)
{
	const struct crit_thread *t = &r->g->threads[thread];
	size_t n = crit_waits_until(t, at);
	double from = t->begin, to = r->start[thread];

	n = n < r->done[thread] ? n : r->done[thread];
	if (n) {
		from = t->waits[n - 1].end;
		to = r->end[thread][n - 1];
	}
	return to + (at - from) - 0.5 * in_cuts(&r->cuts[thread], from, at);
}

static int by_end(const void *a, const void *b)
{
	const struct crit_wait *x = *(const struct crit_wait *const *)a,
			       *y = *(const struct crit_wait *const *)b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x->begin < y->begin) - (x->begin > y->begin);
}

static void play_start(struct replay *r, uint32_t i)
{
	const struct crit_thread *t = &r->g->threads[i];

	r->start[i] = t->begin;
	if (t->creator != PRS_NO_THREAD)
		r->start[i] = played(r, t->creator, t->created) + t->begin - t->created;
}

static void play_wait(struct replay *r, const struct crit_wait *w)
{
	double end = played(r, w->thread, w->begin), free_at;

	if (w->by == PRS_NO_THREAD) {
		end += w->end - w->begin - 0.5 * in_cuts(&r->cuts[w->thread], w->begin, w->end);
	} else {
		free_at = played(r, w->by, w->release) + w->end - w->release;
		end = free_at > end ? free_at : end;
	}
	r->end[w->thread][r->done[w->thread]++] = end;
}

/* Threads in the order in which they began. */
static uint32_t *replay_by_begin(const struct crit_graph *g)
{
	uint32_t *order = mem_new(g->n_threads + 1, sizeof(*order));

	for (uint32_t i = 0; i < g->n_threads; i++) {
		size_t k = i;

		for (; k && g->threads[order[k - 1]].begin > g->threads[i].begin; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	return order;
}

/* When the replay ends. */
static double play(struct replay *r, const struct wait_refs *waits)
{
	const struct crit_graph *g = r->g;
	uint32_t *order = replay_by_begin(g);
	double end = 0, at;
	size_t k = 0;

	memset(r->done, 0, g->n_threads * sizeof(*r->done));
	for (size_t i = 0; i < waits->n; i++) {
		for (; k < g->n_threads && g->threads[order[k]].begin <= waits->at[i]->end; k++)
			play_start(r, order[k]);
		play_wait(r, waits->at[i]);
	}
	for (; k < g->n_threads; k++)
		play_start(r, order[k]);
	for (uint32_t i = 0; i < g->n_threads; i++) {
		at = played(r, i, g->threads[i].end);
		end = at > end ? at : end;
	}
	free(order);
	return end;
}

/* ---- what is halved ------------------------------------------------------------------ */

static void clear_cuts(struct replay *r)
{
	for (size_t i = 0; i < r->g->n_threads; i++)
		r->cuts[i].n = 0;
}

/* In order, and nothing twice. */
static void tidy_cuts(struct replay *r)
{
	for (size_t i = 0; i < r->g->n_threads; i++) {
		struct cut_vec *c = &r->cuts[i];
		size_t n = 0;

		if (c->n)
			qsort(c->at, c->n, sizeof(*c->at), cut_order);
		for (size_t k = 0; k < c->n; k++) {
			if (n && c->at[k].begin < c->at[n - 1].end)
				c->at[k].begin = c->at[n - 1].end;
			if (c->at[k].end > c->at[k].begin)
				c->at[n++] = c->at[k];
		}
		c->n = n;
	}
}

/* What of the path the cuts would halve; what a thread does until it goes on is not its own. */
static double cuts_on_path(const struct replay *r, const struct report_critical *c)
{
	double ns = 0;

	for (size_t i = 0; i < c->n_steps; i++)
		if (c->steps[i].kind == CRIT_WORK || c->steps[i].kind == CRIT_WAIT)
			ns += in_cuts(&r->cuts[c->steps[i].thread], c->steps[i].begin, c->steps[i].end);
	return ns;
}

/* All long calls of @name, wherever they are made. */
static void cut_function(struct replay *r, struct report_summary *s, const char *name)
{
	clear_cuts(r);
	for (size_t i = 0; i < r->g->n_threads; i++) {
		const struct crit_thread *t = &r->g->threads[i];

		for (size_t k = 0; k < t->n_spans; k++)
			if (t->spans[k].site && !strcmp(pretty_name(s, t->spans[k].site->callee), name))
				vec_push(&r->cuts[i], ((struct cut){t->spans[k].begin, t->spans[k].end}));
	}
	tidy_cuts(r);
}

/* From where on the one who ended @w held its lock, if it got it at the end of a wait; else 0. */
static double got_it(const struct crit_graph *g, const struct crit_wait *w)
{
	const struct crit_thread *t = &g->threads[w->by];

	for (size_t n = crit_waits_until(t, w->release), far = 0; n && far < FAR; n--, far++) {
		const struct crit_wait *before = &t->waits[n - 1];

		if (before->event->kind == w->event->kind && before->event->object == w->event->object)
			return before->end;
	}
	return 0;
}

/*
 * From when on the lock of @w was held until @w got it; 0: not known.  A mean hold takes @hold.  While
 * somebody waits, others can take it again and again, but only sooner than he can be woken.
 */
static double held_since(const struct crit_graph *g, const struct crit_wait *w, double hold)
{
	double got = got_it(g, w), since = got > w->begin ? got : w->begin, held;

	if (hold <= 0 || (got > 0 && w->release - got <= 4 * hold))
		return got;
	held = (w->release - since) * hold / (hold + WAKE_NS);
	return w->release - (held > hold ? held : hold);
}

/* Holds that ended a wait are where they are.  False: nobody knows how long the lock was held. */
static bool cut_lock(struct replay *r, const char *name)
{
	const struct crit_graph *g = r->g;
	bool known = false;

	clear_cuts(r);
	for (size_t i = 0; i < g->n_threads; i++)
		for (size_t k = 0; k < g->threads[i].n_waits; k++) {
			const struct crit_wait *w = &g->threads[i].waits[k];
			double hold, from, max;

			if (w->by == PRS_NO_THREAD || w->name != name)
				continue;
			hold = crit_mean_hold(g->process, w->by, w->event, &max);
			from = held_since(g, w, hold);
			known |= hold > 0;
			if (from > 0)
				vec_push(&r->cuts[w->by], ((struct cut){from, w->release}));
		}
	tidy_cuts(r);
	return known;
}

/* Holds that nobody waited for have no place in time: so much of them may be on the path. */
static double loose_holds(struct replay *r, const struct report_critical *c, struct report_summary *s,
			  const char *name)
{
	double *path = mem_new(r->g->n_threads + 1, sizeof(*path)), sum = 0;

	for (size_t i = 0; i < c->n_steps; i++)
		if (c->steps[i].kind == CRIT_WORK || c->steps[i].kind == CRIT_WAIT)
			path[c->steps[i].thread] +=
				c->steps[i].end - c->steps[i].begin -
				in_cuts(&r->cuts[c->steps[i].thread], c->steps[i].begin, c->steps[i].end);
	for (uint32_t i = 0; i < r->g->n_threads; i++) {
		const struct run_thread *t = &r->g->process->threads[i];
		double held = -in_cuts(&r->cuts[i], 0, 1e300), ns;

		for (size_t k = 0; path[i] > 0 && k < t->n_waits; k++) {
			const struct prs_wait *e = &t->waits[k];
			uint64_t timed = e->flags & PRS_WAIT_TAKEN ? hold_times(r->g->process, e, &ns) : 0;

			if (timed && run_is_lock(e->kind) &&
			    crit_wait_name(s, r->g->process, e->kind, e->object) == name)
				held += ns / (double)timed * (double)e->count;
		}
		held = held < path[i] ? held : path[i];
		sum += held > 0 ? held : 0;
	}
	free(path);
	return sum;
}

/* What the record has of the waits at a lock beside the events; 1: all of it is in events. */
static double seen_in_events(const struct crit_graph *g, struct report_summary *s, const char *name)
{
	double events = 0, all = 0;

	for (uint32_t i = 0; i < g->n_threads; i++) {
		const struct run_thread *t = &g->process->threads[i];

		for (size_t k = 0; k < g->threads[i].n_waits; k++)
			if (g->threads[i].waits[k].name == name)
				events += g->threads[i].waits[k].end - g->threads[i].waits[k].begin;
		for (size_t k = 0; k < t->n_waits; k++)
			if (!t->waits[k].flags && run_is_lock(t->waits[k].kind) &&
			    crit_wait_name(s, g->process, t->waits[k].kind, t->waits[k].object) == name)
				all += (double)t->waits[k].ticks * g->process->ns_per_tick;
	}
	return all > events ? events / all : 1;
}

/* ---- a gain for each ------------------------------------------------------------------- */

static struct replay *replay_new(const struct crit_graph *g)
{
	struct replay *r = mem_new(1, sizeof(*r));

	r->g = g;
	r->cuts = mem_new(g->n_threads + 1, sizeof(*r->cuts));
	r->start = mem_new(g->n_threads + 1, sizeof(*r->start));
	r->end = mem_new(g->n_threads + 1, sizeof(*r->end));
	r->done = mem_new(g->n_threads + 1, sizeof(*r->done));
	for (size_t i = 0; i < g->n_threads; i++)
		r->end[i] = mem_new(g->threads[i].n_waits + 1, sizeof(**r->end));
	return r;
}

static void replay_free(struct replay *r)
{
	for (size_t i = 0; i < r->g->n_threads; i++) {
		vec_release(&r->cuts[i]);
		free(r->end[i]);
	}
	free(r->cuts);
	free(r->start);
	free(r->end);
	free(r->done);
	free(r);
}

static void replay_judge(struct crit_gain *gain, struct replay *r, const struct wait_refs *waits,
			 const struct report_critical *c, double loose)
{
	double end = c->n_steps ? c->steps[c->n_steps - 1].end : 0;

	gain->known = true;
	gain->on_path_ns = cuts_on_path(r, c) + loose;
	gain->low = (end - play(r, waits)) / c->ns;
	gain->high = 0.5 * gain->on_path_ns / c->ns;
	gain->low = gain->low < 0 ? 0 : gain->low > gain->high ? gain->high : gain->low;
}

static struct crit_gain function_gain(const struct report_critical *c, struct replay *r,
				      const struct wait_refs *waits, struct report_summary *s,
				      const struct crit_part *f)
{
	struct crit_gain gain = {.name = f->name, .file = f->file, .line = f->line};

	for (size_t i = 0; i < c->n_functions; i++)
		if (&c->functions[i] != f && !strcmp(c->functions[i].name, f->name))
			gain.file = NULL;

	cut_function(r, s, f->name);
	replay_judge(&gain, r, waits, c, 0);
	return gain;
}

static struct crit_gain lock_gain(const struct report_critical *c, struct replay *r,
				  const struct wait_refs *waits, struct report_summary *s, const char *name)
{
	struct crit_gain gain = {.name = name, .lock = true};

	if (!cut_lock(r, name))
		gain.why = "how long it was held is not in the record";
	else if (seen_in_events(r->g, s, name) < SEEN)
		gain.why = "too many of its waits are sums only";
	else
		replay_judge(&gain, r, waits, c, loose_holds(r, c, s, name));
	return gain;
}

static struct wait_refs all_waits(const struct crit_graph *g)
{
	struct wait_refs all = VEC_INIT;

	for (size_t i = 0; i < g->n_threads; i++)
		for (size_t k = 0; k < g->threads[i].n_waits; k++)
			vec_push(&all, &g->threads[i].waits[k]);
	if (all.n)
		qsort(all.at, all.n, sizeof(*all.at), by_end);
	return all;
}

static int by_gain(const void *a, const void *b)
{
	const struct crit_gain *x = a, *y = b;

	if (x->known != y->known)
		return y->known - x->known;
	return (x->high < y->high) - (x->high > y->high);
}

static bool has_gain(const struct gain_vec *gains, const char *name)
{
	for (size_t i = 0; i < gains->n; i++)
		if (!strcmp(gains->at[i].name, name))
			return true;
	return false;
}

void crit_what_if(struct report_critical *c, const struct crit_graph *g, struct report_summary *s)
{
	struct wait_refs waits = all_waits(g);
	struct replay *r = replay_new(g);
	struct gain_vec gains = VEC_INIT;

	for (size_t i = 0; i < c->n_waits && gains.n < GAINS_MAX; i++)
		if (run_is_lock(c->waits[i].kind) && c->waits[i].behind_ns >= LEAST * c->ns &&
		    !has_gain(&gains, c->waits[i].name))
			vec_push(&gains, lock_gain(c, r, &waits, s, c->waits[i].name));
	for (size_t i = 0; i < c->n_functions && gains.n < 2 * GAINS_MAX; i++)
		if (c->functions[i].count && c->functions[i].ns >= LEAST * c->ns &&
		    !has_gain(&gains, c->functions[i].name))
			vec_push(&gains, function_gain(c, r, &waits, s, &c->functions[i]));
	if (gains.n)
		qsort(gains.at, gains.n, sizeof(*gains.at), by_gain);
	c->gains = gains.at;
	c->n_gains = gains.n;
	replay_free(r);
	vec_release(&waits);
}
