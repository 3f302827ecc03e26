/* SPDX-License-Identifier: MIT */
#include "analyzer/lines/lines.h"

#include <stdlib.h>

#include "analyzer/lines/evidence.h"
#include "analyzer/lines/others.h"
#include "analyzer/lines/vectors.h"
#include "analyzer/objects/regions.h"
#include "lib/mem.h"
#include "perseus/abi.h"

bool line_use_writes(const struct line_use *u)
{
	return u->raw->kind != PRS_KIND_LOAD;
}

static double seen(const struct prs_line *l)
{
	return (double)l->misses + (double)l->watched;
}

static int lines_by_site(const void *a, const void *b)
{
	const struct line_use *x = a, *y = b;

	if (x->raw->site != y->raw->site)
		return x->raw->site < y->raw->site ? -1 : 1;
	return x->raw < y->raw ? -1 : x->raw > y->raw;
}

static int lines_by_line(const void *a, const void *b)
{
	const struct line_use *x = a, *y = b;

	if (x->raw->line != y->raw->line)
		return x->raw->line < y->raw->line ? -1 : 1;
	if (x->raw->generation != y->raw->generation)
		return x->raw->generation < y->raw->generation ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->raw->site < y->raw->site ? -1 : x->raw->site > y->raw->site;
}

/* Deal the counter of one site of one thread to its lines. */
static void apportion(struct line_use *u, size_t n, const struct run_process *p)
{
	const struct run_thread *t = &p->threads[u->thread];
	uint32_t site = u->raw->site;
	double sum = 0, count;

	if (!t->mem_counts || site >= p->header->n_mems || !t->mem_counts[site])
		return;
	for (size_t i = 0; i < n; i++)
		sum += seen(u[i].raw);
	/* The counter is never below what was seen, but for a damaged record. */
	count = (double)t->mem_counts[site];
	if (count < sum)
		count = sum;
	for (size_t i = 0; i < n; i++)
		u[i].accesses = sum > 0 ? count * seen(u[i].raw) / sum : 0;
}

/* A range in front of a loop, which covers more than the access it is named after. */
static bool of_range(const struct line_use *u)
{
	return u->raw->times && !(u->site && u->raw->extent && u->raw->extent <= u->site->bytes);
}

/* The bytes of a range are those that the thread was seen to use in its loop. */
static void lend_masks(struct line_use *u, size_t n)
{
	uint64_t read = 0, written = 0, needed = 0;

	for (size_t i = 0; i < n; i++) {
		read |= u[i].read;
		needed |= u[i].read & ~u[i].beside;
		written |= u[i].written;
	}
	for (size_t i = 0; i < n; i++) {
		if ((u[i].read | u[i].written) || !of_range(&u[i]))
			continue;
		u[i].read = u[i].raw->kind == PRS_KIND_STORE ? 0 : read;
		u[i].beside = u[i].read & ~needed;
		u[i].written = line_use_writes(&u[i]) ? written : 0;
	}
}

static void set_masks(struct line_use *u, struct objects *os)
{
	uint64_t mask;

	u->read = u->raw->read_mask;
	u->written = u->raw->write_mask;
	if ((u->read | u->written) || of_range(u))
		return;
	/* No watch window saw it: what the site table knows is as good. */
	mask = objects_static_mask(os, u->raw->line, u->raw->last, u->site);
	if (line_use_writes(u))
		u->written = mask;
	if (u->raw->kind != PRS_KIND_STORE)
		u->read = mask;
}

static void read_thread(struct line_use *u, struct objects *os, uint32_t thread)
{
	const struct run_thread *t = &os->p->threads[thread];
	size_t to;

	for (size_t i = 0; i < t->n_lines; i++)
		u[i] = (struct line_use){
			.raw = t->lines[i], .site = run_mem_site(os->p, t->lines[i]->site), .thread = thread};
	if (!t->n_lines)
		return;
	qsort(u, t->n_lines, sizeof(*u), lines_by_site);
	for (size_t from = 0; from < t->n_lines; from = to) {
		for (to = from + 1; to < t->n_lines && u[to].raw->site == u[from].raw->site;)
			to++;
		apportion(u + from, to - from, os->p);
	}
}

/*
 * Keep the lines that several threads used and that moved more often than a
 * handoff does; the others, most of a run, need no masks and no names.
 */
static void keep_shared(struct line_uses *u)
{
	size_t n = 0, to;

	for (size_t from = 0; from < u->n; from = to) {
		uint64_t moves = prs_line_moves(u->at[from].raw);
		bool shared = false;

		for (to = from + 1; to < u->n && u->at[to].raw->line == u->at[from].raw->line &&
				    u->at[to].raw->generation == u->at[from].raw->generation;
		     to++) {
			shared |= u->at[to].thread != u->at[from].thread;
			moves += prs_line_moves(u->at[to].raw);
		}
		u->handovers += shared && moves && moves <= LINE_HANDOVER;
		for (size_t i = from; shared && moves > LINE_HANDOVER && i < to; i++)
			u->at[n++] = u->at[i];
	}
	u->n = n;
}

static void lines_weigh(struct line_uses *u, const struct run_process *p, const struct line_pace *pace)
{
	size_t to;

	for (size_t from = 0; from < u->n; from = to) {
		for (to = from + 1; to < u->n && u->at[to].raw->line == u->at[from].raw->line &&
				    u->at[to].raw->generation == u->at[from].raw->generation &&
				    u->at[to].thread == u->at[from].thread;)
			to++;
		lend_masks(&u->at[from], to - from);
		evidence_fill(&u->at[from], to - from, p, &pace[u->at[from].thread]);
	}
}

/*
 * A window says how a thread uses a line while it does, not how long it goes
 * on: between its first and last transfer it may have been elsewhere.  All
 * accesses together, with their probes, take no longer than the thread ran.
 */
static void share_out(struct line_uses *u, const struct line_pace *pace, size_t n_threads)
{
	double *taken = mem_new(n_threads + 1, sizeof(*taken));

	for (size_t i = 0; i < u->n; i++)
		if (u->at[i].by_span)
			taken[u->at[i].thread] +=
				u->at[i].accesses * evidence_least_ns(&u->at[i], &pace[u->at[i].thread]);
	for (size_t i = 0; i < u->n; i++) {
		struct line_use *x = &u->at[i];
		const struct line_pace *p = &pace[x->thread];
		double most = p->run_ns > 0 ? p->run_ns : p->cpu_ns;

		if (!x->by_span || taken[x->thread] <= most)
			continue;
		x->active_ns *= most / taken[x->thread];
		x->visits *= most / taken[x->thread];
		x->accesses *= most / taken[x->thread];
		x->low *= most / taken[x->thread];
	}
	free(taken);
}

static void narrow_vectors(struct line_uses *u, const struct run_process *p)
{
	size_t to;

	for (size_t from = 0; from < u->n; from = to) {
		const struct line_use *x = &u->at[from];

		for (to = from + 1; to < u->n && u->at[to].raw->line == x->raw->line &&
				    u->at[to].raw->generation == x->raw->generation;)
			to++;
		vectors_narrow(&u->at[from], to - from, p);
	}
}

void line_uses_make(struct line_uses *u, struct objects *os, const struct line_pace *pace)
{
	size_t total = 0, at = 0;

	*u = (struct line_uses){0};
	for (size_t t = 0; t < os->p->n_threads; t++)
		total += os->p->threads[t].n_lines;
	u->at = mem_new(total + 1, sizeof(*u->at));
	for (uint32_t t = 0; t < os->p->n_threads; t++) {
		read_thread(u->at + at, os, t);
		at += os->p->threads[t].n_lines;
	}
	u->n = total;
	if (total)
		qsort(u->at, total, sizeof(*u->at), lines_by_line);
	keep_shared(u);
	for (size_t i = 0; i < u->n; i++)
		if (u->at[i].site)
			objects_learn(os, u->at[i].raw->line << PRS_LINE_SHIFT, u->at[i].raw->last,
				      u->at[i].site, u->at[i].raw->read_mask | u->at[i].raw->write_mask);
	for (size_t i = 0; i < u->n; i++)
		if (u->at[i].site)
			regions_add(os, u->at[i].raw->line << PRS_LINE_SHIFT, u->at[i].raw->last,
				    u->at[i].site, u->at[i].raw->read_mask | u->at[i].raw->write_mask);
	for (size_t i = 0; i < u->n; i++)
		set_masks(&u->at[i], os);
	narrow_vectors(u, os->p);
	evidence_pool(u->at, u->n);
	others_fill(u, os->p);
	lines_weigh(u, os->p, pace);
	share_out(u, pace, os->p->n_threads);
}

void line_uses_release(struct line_uses *u)
{
	free(u->at);
	*u = (struct line_uses){0};
}
