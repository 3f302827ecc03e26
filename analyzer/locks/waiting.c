/* SPDX-License-Identifier: MIT */
#include "analyzer/locks/waiting.h"

#include <math.h>
#include <stdlib.h>

#include "lib/mem.h"

/* Two excesses are alike if the smaller one is at least this part of the other. */
#define ALIKE 0.75

/* CPU time is not better than this part of itself. */
#define CLOCK_ERROR 0.01

/*
 * No access of the rarer side costs either side more than this: a line goes
 * there and back, across a large machine.
 */
#define MOST_NS 400.0

/* A thread with less than this part of the work of the largest one says nothing about all. */
#define COUNTS 0.1

void waiting_init(struct waiting *w, size_t n_runs, size_t n_threads)
{
	size_t n = n_runs * n_threads + 1;

	*w = (struct waiting){.n_runs = n_runs, .n_threads = n_threads};
	w->cycles = mem_new(n, sizeof(*w->cycles));
	w->waited = mem_new(n, sizeof(*w->waited));
	w->calls = mem_new(n, sizeof(*w->calls));
}

void waiting_release(struct waiting *w)
{
	free(w->cycles);
	free(w->waited);
	free(w->calls);
	*w = (struct waiting){0};
}

static void add_up(struct waiting *w, const struct intervals *runs)
{
	for (size_t r = 0; r < w->n_runs; r++)
		for (size_t i = 0; i < runs[r].n; i++)
			for (size_t k = 0; k < runs[r].at[i].n_parts; k++) {
				const struct part *p = &runs[r].at[i].parts[k];

				if (p->instance < w->n_threads)
					w->cycles[r * w->n_threads + p->instance] += p->cycles;
			}
}

/* What is known of one thread over all runs. */
struct thread_view {
	double least, most; /* cycles */
	bool same_calls;
	bool conflicts;
	uint32_t group; /* of threads that share lines, directly or not: the first of them */
};

static uint32_t group_of(struct thread_view *v, uint32_t i)
{
	while (v[i].group != i)
		i = v[i].group = v[v[i].group].group;
	return i;
}

static void join_groups(struct thread_view *v, uint32_t a, uint32_t b)
{
	uint32_t x = group_of(v, a), y = group_of(v, b);

	v[x > y ? x : y].group = x < y ? x : y;
	v[a].conflicts = v[b].conflicts = true;
}

static struct thread_view *view(const struct waiting *w, const struct model_conflict *conflicts, size_t n)
{
	struct thread_view *v = mem_new(w->n_threads + 1, sizeof(*v));

	for (size_t i = 0; i < w->n_threads; i++) {
		v[i] = (struct thread_view){w->cycles[i], w->cycles[i], true, false, (uint32_t)i};
		for (size_t r = 1; r < w->n_runs; r++) {
			double x = w->cycles[r * w->n_threads + i];

			v[i].least = x < v[i].least ? x : v[i].least;
			v[i].most = x > v[i].most ? x : v[i].most;
			v[i].same_calls &= w->calls[r * w->n_threads + i] == w->calls[i];
		}
	}
	for (size_t k = 0; k < n; k++)
		if (conflicts[k].a.thread < w->n_threads && conflicts[k].b.thread < w->n_threads)
			join_groups(v, conflicts[k].a.thread, conflicts[k].b.thread);
	return v;
}

/* Excess as a part of the thread's least work. */
static double relative(const struct waiting *w, const struct thread_view *v, size_t run, size_t i)
{
	return w->cycles[run * w->n_threads + i] / v[i].least - 1;
}

/* Least excess in @run among those that count of group @g; negative: nobody does. */
static double of_group(const struct waiting *w, struct thread_view *v, size_t run, uint32_t g, double largest)
{
	double least = -1;

	for (uint32_t i = 0; i < w->n_threads; i++) {
		double x;

		if (group_of(v, i) != g || v[i].least <= 0 || v[i].least < COUNTS * largest)
			continue;
		x = relative(w, v, run, i);
		least = least < 0 || x < least ? x : least;
	}
	return least;
}

/* What all groups have in common in @run; negative: there is but one. */
static double common(const struct waiting *w, struct thread_view *v, size_t run)
{
	double largest = 0, least = -1;
	size_t groups = 0;

	for (size_t i = 0; i < w->n_threads; i++)
		largest = v[i].least > largest ? v[i].least : largest;
	for (uint32_t g = 0; g < w->n_threads; g++) {
		double x = v[g].group == g ? of_group(w, v, run, g, largest) : -1;

		if (x < 0)
			continue;
		groups++;
		least = least < 0 || x < least ? x : least;
	}
	return groups > 1 ? least : -1;
}

/* Excess of thread @i in @run above what all have in common, cycles. */
static double excess(const struct waiting *w, const struct thread_view *v, size_t run, size_t i, double all)
{
	double x = v[i].least > 0 && v[i].same_calls ? relative(w, v, run, i) - all : 0;

	return x > 0 ? x * v[i].least : 0;
}

/* More than all accesses can have cost, cycles; without a rate nothing is too much. */
static double too_much(const struct thread_view *v, const struct model_conflict *c, double khz)
{
	double a = model_rate(&c->a) * v[c->a.thread].least / 1000,
	       b = model_rate(&c->b) * v[c->b.thread].least / 1000;
	double accesses = a < b ? a : b;

	return accesses > 0 ? accesses * MOST_NS * khz / 1e6 : INFINITY;
}

static void match(struct waiting *w, const struct thread_view *v, size_t run, const struct model_conflict *c,
		  double all, double khz)
{
	double a = excess(w, v, run, c->a.thread, all), b = excess(w, v, run, c->b.thread, all);
	double less = a < b ? a : b, more = a < b ? b : a;
	double least =
		v[c->a.thread].least < v[c->b.thread].least ? v[c->a.thread].least : v[c->b.thread].least;
	double *wa = &w->waited[run * w->n_threads + c->a.thread];
	double *wb = &w->waited[run * w->n_threads + c->b.thread];

	if ((less < ALIKE * more && more - less > CLOCK_ERROR * least) || less > too_much(v, c, khz))
		return;
	/* Who shares with several is not stalled by the sum: what they have is in his, too. */
	*wa = less > *wa ? less : *wa;
	*wb = less > *wb ? less : *wb;
}

void waiting_find(struct waiting *w, const struct intervals *runs, const struct model_conflict *conflicts,
		  size_t n)
{
	struct thread_view *v;

	add_up(w, runs);
	if (w->n_runs < 2)
		return;
	v = view(w, conflicts, n);
	for (size_t r = 0; r < w->n_runs; r++) {
		double all = common(w, v, r);

		for (size_t k = 0; k < n && all >= 0; k++)
			if (conflicts[k].a.thread < w->n_threads && conflicts[k].b.thread < w->n_threads)
				match(w, v, r, &conflicts[k], all, runs[r].khz);
	}
	free(v);
}

void waiting_take_out(const struct waiting *w, struct intervals *runs)
{
	for (size_t r = 0; r < w->n_runs; r++)
		for (size_t i = 0; i < runs[r].n; i++)
			for (size_t k = 0; k < runs[r].at[i].n_parts; k++) {
				struct part *p = &runs[r].at[i].parts[k];
				size_t at = r * w->n_threads + p->instance;

				if (p->instance < w->n_threads && w->cycles[at] > 0)
					p->cycles *= 1 - w->waited[at] / w->cycles[at];
			}
}

double waiting_longer_ns(const struct waiting *w, size_t run, double cores, double khz)
{
	double sum = 0, most = 0;

	for (size_t i = 0; i < w->n_threads; i++) {
		double x = w->waited[run * w->n_threads + i];

		sum += x;
		most = x > most ? x : most;
	}
	sum /= cores > 1 ? cores : 1;
	return (sum > most ? sum : most) * 1e6 / khz;
}
