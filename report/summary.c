/* SPDX-License-Identifier: MIT */
#include "report/summary.h"

#include <stdlib.h>
#include <string.h>

#include "lib/inspect/demangle.h"
#include "lib/mem.h"
#include "record/names/thread-name.h"
#include "report/counters/counters.h"
#include "report/time/budget.h"
#include "report/time/collect.h"
#include "report/time/overhead.h"
#include "report/waits/parts.h"
#include "report/waits/waits.h"

/*
 * What instrumentation costs, in reads of the clock: a timed pair reads it
 * twice and spends a tenth more on accounting; an entry of the block log asks
 * the kernel for the thread's CPU time.  A call that is only counted takes
 * 0.05 reads where it stands alone in a loop and its work hides behind that of
 * others, 0.16 in an interpreter with a call every 3 ns; what is promised must
 * hold there, too.
 */
#define PAIR_READS  2.2
#define COUNT_READS 0.16
#define LOG_READS   15.0

static void add_losses(struct report_summary *s, const struct prs_rec_header *h)
{
	s->lost_blocks += h->lost_blocks;
	s->lost_events += h->lost_events;
	s->lost_lines += h->lost_lines;
	s->lost_notes += h->lost_notes;
	s->lost_threads += h->lost_threads;
	s->lost_calls += h->lost_calls;
	s->sharing |= h->purpose == PRS_PURPOSE_SHARING;
}

/* From minor 1 on the runtime has measured what a pair costs. */
static double pair_reads(const struct run_process *p)
{
	const struct prs_rec_header *h = p->header;

	return h->minor >= 1 && h->pair_ticks && h->clock_ticks
		       ? (double)h->pair_ticks / (double)h->clock_ticks
		       : PAIR_READS;
}

double report_probe_reads(const struct run_process *p, uint64_t calls, uint64_t timed)
{
	return pair_reads(p) * (double)timed + (calls > timed ? COUNT_READS * (double)(calls - timed) : 0);
}

/* Nanoseconds that the probes of a process took, estimated. */
static double probe_ns(const struct run_process *p)
{
	double reads = 0;

	for (size_t i = 0; i < p->n_threads; i++) {
		const struct run_thread *t = &p->threads[i];

		for (size_t k = 0; k < t->n_calls; k++)
			reads += report_probe_reads(p, t->totals[k], t->calls[k]->timed);
		reads += LOG_READS * (double)t->n_log;
	}
	return reads * (double)p->header->clock_ticks * p->ns_per_tick;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Distinct cache lines that moved between threads of one process, and how often. */
static void add_lines(struct report_summary *s, const struct run_process *p)
{
	struct VEC(uint64_t) moved = VEC_INIT;

	for (size_t i = 0; i < p->n_threads; i++)
		for (size_t k = 0; k < p->threads[i].n_lines; k++) {
			const struct prs_line *l = p->threads[i].lines[k];

			if (!l->from_modified && !l->invalidated)
				continue;
			s->transfers += l->from_modified + l->invalidated;
			vec_push(&moved, l->line);
		}
	if (moved.n)
		qsort(moved.at, moved.n, sizeof(*moved.at), by_value);
	for (size_t i = 0; i < moved.n; i++)
		s->lines += !i || moved.at[i] != moved.at[i - 1];
	vec_release(&moved);
}

/* Below the step of the clock, and inside the first bucket of the histograms, times are all one. */
static double resolution_ns(const struct run_process *p)
{
	uint64_t bucket = prs_hist_low(1);

	if (p->header->minor < 1)
		return 0;
	return (double)(p->header->quantum_ticks > bucket ? p->header->quantum_ticks : bucket) *
	       p->ns_per_tick;
}

static void summary_add_process(struct report_summary *s, const struct run_process *p, struct row_list *rows,
				struct wait_list *waits, double *overhead_ns)
{
	double wall = (double)(p->end - p->header->tsc_start) * p->ns_per_tick;
	double step = resolution_ns(p);
	char **full = thread_names(s->run, p, NULL);

	for (size_t i = 0; i < p->n_threads; i++)
		s->foreign += (p->threads[i].raw->state & PRS_THREAD_FOREIGN) != 0;
	for (size_t i = 0; i < p->n_threads; i++) {
		collect_thread(s, p, &p->threads[i], summary_name(s, full[i]),
			       &s->threads[s->n_threads_listed++], rows, waits);
		free(full[i]);
	}
	free(full);
	add_losses(s, p->header);
	add_lines(s, p);
	*overhead_ns += probe_ns(p);
	if (wall > s->wall_ns)
		s->wall_ns = wall;
	if (step > s->resolution_ns)
		s->resolution_ns = step;
}

/* Left out because somebody wanted it so. */
static bool is_request(const char *reason)
{
	return !strcmp(reason, PRS_SR_ATTRIBUTE) || !strcmp(reason, PRS_SR_SKIP) ||
	       !strcmp(reason, PRS_SR_SELECT) || !strcmp(reason, PRS_SR_RULES);
}

static void count_skipped(struct report_summary *s, const struct run_skipped *k)
{
	if (!strcmp(k->kind, PRS_SK_FUNCTION)) {
		s->unprobed += !is_request(k->reason);
		return;
	}
	s->skipped++;
	s->by_request += is_request(k->reason);
}

/* What the tables say of how complete the probes are. */
static void count_tables(struct report_summary *s)
{
	for (size_t i = 0; i < s->run->n_modules; i++) {
		const struct sites *t = &s->run->modules[i].sites;

		s->unlinked += t->n_unlinked;
		for (size_t k = 0; k < t->n_skipped; k++)
			count_skipped(s, &t->skipped[k]);
		for (size_t k = 0; k < t->n_units; k++) {
			s->duplicate += run_has_flag(t->units[k].flags, PRS_UF_DUPLICATE);
			for (uint32_t c = 0; c < t->units[k].n_calls; c++)
				s->tails += run_has_flag(t->units[k].calls[c].flags, PRS_CF_TAIL);
		}
	}
}

/*
 * Thread time without standing in line for a core: what the program takes when
 * nobody else runs.  Where it is not known how long a thread ran, all of it.
 */
static double own_time(const struct report_summary *s)
{
	double line = s->busy_ns - s->cpu_ns;

	return line > 0 && line < s->thread_ns ? s->thread_ns - line : s->thread_ns;
}

void report_summarise(struct report_summary *s, const struct run *run)
{
	struct row_list rows = VEC_INIT;
	struct wait_list waits = VEC_INIT;
	double overhead_ns = 0;

	*s = (struct report_summary){.run = run};
	for (size_t i = 0; i < run->n_processes; i++)
		s->n_threads += run->processes[i].n_threads;
	s->threads = mem_new(s->n_threads + 1, sizeof(*s->threads));
	for (size_t i = 0; i < run->n_processes; i++)
		summary_add_process(s, &run->processes[i], &rows, &waits, &overhead_ns);
	if (run->manifest.wall_ns)
		s->wall_ns = (double)run->manifest.wall_ns;
	s->counters = counters_collect(s, &rows);
	budget_collect(s, &rows);
	merge_rows(s, &rows);
	collect_waits(s, &waits);
	count_tables(s);
	s->own_ns = own_time(s);
	s->overhead = s->own_ns > 0 ? overhead_ns / s->own_ns : 0;
	overhead_collect(s);
	s->rows = rows.at;
	s->n_rows = rows.n;
	vec_release(&waits);
}

void report_summary_release(struct report_summary *s)
{
	for (size_t i = 0; i < s->n_names; i++)
		free(s->names[i]);
	free(s->names);
	free(s->name_at);
	free(s->rows);
	free(s->functions);
	free(s->sites);
	release_waits(s);
	free(s->threads);
	counters_free(s->counters);
	*s = (struct report_summary){0};
}
