/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/time/fold.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/stats.h"

/* Work of a class may differ between runs by this much of its mean (standard deviation). */
#define RUNS_TOLERANCE   0.25
#define SMALL_OF_LARGEST 0.02

static uint32_t count_of(const struct fold *f, size_t run, uint32_t class)
{
	return f->members[run].start[class + 1] - f->members[run].start[class];
}

static const struct interval *member(const struct fold *f, size_t run, uint32_t class, uint32_t k)
{
	return &f->runs[run].at[f->members[run].interval[f->members[run].start[class] + k]];
}

__attribute__((format(printf, 2, 3))) static void reject(struct phase_class *c, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (!c->accepted)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	c->accepted = false;
	c->reason = mem_strdup(text);
}

/* Mean over the repeats of one run: work of @instance, or wall time for INSTANCE_NONE. */
static double mean_of(const struct fold *f, size_t run, uint32_t class, uint32_t instance)
{
	uint32_t n = count_of(f, run, class);
	double sum = 0;

	for (uint32_t k = 0; k < n; k++) {
		const struct interval *iv = member(f, run, class, k);
		const struct part *p = instance == INSTANCE_NONE ? NULL : part_of(iv, instance);

		sum += instance == INSTANCE_NONE ? iv->wall_ns : p ? p->cycles : 0;
	}
	return n ? sum / n : 0;
}

/* Mean and standard deviation over the runs that have the class. */
static void over_runs(const struct fold *f, uint32_t class, uint32_t instance, double *mean, double *sd)
{
	double *x = mem_new(f->n_runs, sizeof(*x));
	size_t n = 0;

	for (size_t r = 0; r < f->n_runs; r++)
		if (count_of(f, r, class))
			x[n++] = mean_of(f, r, class, instance);
	*mean = stats_mean(x, n);
	*sd = stats_sd(x, n);
	free(x);
}

/*
 * The visits at which @instance enters the repeats, as first and step.
 * Returns false if they do not form such a row, or differ between runs.
 */
static bool visits_of(const struct fold *f, uint32_t class, uint32_t instance, struct class_part *out)
{
	const struct part *first = part_of(member(f, 0, class, 0), instance), *p;
	uint32_t n = count_of(f, 0, class);

	if (!first || !first->site)
		return true;
	p = n > 1 ? part_of(member(f, 0, class, 1), instance) : NULL;
	out->every = p && p->visit > first->visit ? p->visit - first->visit : 0;
	for (size_t r = 0; r < f->n_runs; r++) {
		/* Runs without the class, or with fewer repeats, are said elsewhere. */
		for (uint32_t k = 0; k < count_of(f, r, class); k++) {
			p = part_of(member(f, r, class, k), instance);
			if (!p || !same_call_site(p->site, first->site) ||
			    p->visit != first->visit + k * out->every)
				return false;
		}
	}
	out->site = first->site;
	out->visit = first->visit;
	return true;
}

/* A part counts as waiting or starting if it does so in most repeats of the first run. */
static void flags_of(const struct fold *f, uint32_t class, struct class_part *out)
{
	uint32_t n = count_of(f, 0, class), waits = 0, starts = 0;

	for (uint32_t k = 0; k < n; k++) {
		const struct part *p = part_of(member(f, 0, class, k), out->instance);

		waits += p && p->waits;
		starts += p && p->starts;
	}
	out->waits = 2 * waits > n;
	out->starts = 2 * starts > n;
}

static void summarise_part(const struct fold *f, uint32_t class, struct class_part *out)
{
	over_runs(f, class, out->instance, &out->cycles, &out->sd);
	flags_of(f, class, out);
	if (!visits_of(f, class, out->instance, out)) {
		out->other_visits = true;
		out->site = NULL;
		out->visit = out->every = 0;
	}
}

static double largest_part(const struct phase_class *c)
{
	double max = 0;

	for (size_t i = 0; i < c->n_parts; i++)
		if (c->parts[i].cycles > max)
			max = c->parts[i].cycles;
	return max;
}

static void check_repeats(struct phase_class *c, const struct fold *f, uint32_t class)
{
	for (size_t r = 1; r < f->n_runs; r++)
		if (count_of(f, r, class) != c->repeats)
			reject(c, "occurs %u times in run %s and %u times in run %s", c->repeats,
			       f->runs[0].name, count_of(f, r, class), f->runs[r].name);
}

static void check_work(struct phase_class *c, const struct fold *f, uint32_t class)
{
	double largest = largest_part(c);

	for (size_t i = 0; i < c->n_parts; i++) {
		const struct class_part *p = &c->parts[i];
		double lo = 1e300, hi = 0;
		char a[32], b[32];

		if (p->sd <= RUNS_TOLERANCE * p->cycles || p->sd <= SMALL_OF_LARGEST * largest ||
		    p->sd <= f->floor)
			continue;
		for (size_t r = 0; r < f->n_runs; r++) {
			double x = mean_of(f, r, class, p->instance);

			lo = x < lo ? x : lo;
			hi = x > hi ? x : hi;
		}
		reject(c, "work of thread %s differs between runs: %s to %s cycles",
		       f->names->at[p->instance].name, num_si(a, sizeof(a), lo), num_si(b, sizeof(b), hi));
	}
}

/* All instances that any run shows in the class. */
static void collect_parts(struct phase_class *c, const struct fold *f, uint32_t class)
{
	bool *there = mem_new(f->names->n + 1, sizeof(*there));

	for (size_t r = 0; r < f->n_runs; r++)
		for (uint32_t k = 0; k < count_of(f, r, class); k++) {
			const struct interval *iv = member(f, r, class, k);

			for (size_t i = 0; i < iv->n_parts; i++)
				there[iv->parts[i].instance] = true;
		}
	c->parts = mem_new(f->names->n + 1, sizeof(*c->parts));
	for (uint32_t i = 0; i < f->names->n; i++)
		if (there[i])
			c->parts[c->n_parts++].instance = i;
	c->parts = mem_resize(c->parts, c->n_parts + 1, sizeof(*c->parts));
	free(there);
}

void class_summarise(struct phase_class *c, const struct fold *f, uint32_t class)
{
	const struct interval *first = member(f, 0, class, 0);

	*c = (struct phase_class){.kind = first->kind, .key = first->key, .opener = first->opener};
	c->accepted = true;
	c->repeats = count_of(f, 0, class);
	over_runs(f, class, INSTANCE_NONE, &c->wall_ns, &c->wall_sd);
	collect_parts(c, f, class);
	for (size_t i = 0; i < c->n_parts; i++)
		summarise_part(f, class, &c->parts[i]);
	check_repeats(c, f, class);
	check_work(c, f, class);
}
