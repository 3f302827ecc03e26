/* SPDX-License-Identifier: MIT */
/*
 * The overhead is the share of the CPU time that probes took beyond what they
 * take at rest.  The runtime reckons it from what it did; where the program was
 * killed before that was written down, the same is done here from the records.
 */
#include "report/time/budget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "report/time/words.h"

#define COUNT_READS 0.018 /* of the clock: a call that is only counted */
#define COLD_PAIRS  1.3   /* pairs that a sampled call costs */
#define REST_SHOWN  0.01  /* less beside the promise is not worth a line */
#define KEPT        1.005 /* beyond it "3.0 %" would no longer be printed */

enum level { LEVEL_NONE, LEVEL_TIMED, LEVEL_SAMPLED, LEVEL_COUNTED };

static enum level level_of(const struct rec_call *c)
{
	return c->period == 1 ? LEVEL_TIMED : c->period < PRS_PERIOD_COUNT ? LEVEL_SAMPLED : LEVEL_COUNTED;
}

/* The levels of a process's sites; where a site has several records, the one in which least is seen. */
static void count_sites(struct report_budget *b, const struct run_process *p)
{
	unsigned char *levels = mem_new((size_t)p->header->n_calls + 1, 1);

	for (size_t i = 0; i < p->n_threads; i++)
		for (size_t k = 0; k < p->threads[i].n_calls; k++) {
			const struct rec_call *c = p->threads[i].calls[k];

			if (c->site < p->header->n_calls && levels[c->site] < level_of(c))
				levels[c->site] = (unsigned char)level_of(c);
		}
	for (uint32_t i = 0; i < p->header->n_calls; i++) {
		b->timed += levels[i] == LEVEL_TIMED;
		b->sampled += levels[i] == LEVEL_SAMPLED;
		b->counted += levels[i] == LEVEL_COUNTED;
	}
	free(levels);
}

/* What the probes of a process took, in ticks: on counting, and on times. */
static void reckon(const struct run_process *p, double *counting, double *timing)
{
	const struct prs_rec_header *h = p->header;

	for (size_t i = 0; i < p->n_threads; i++)
		for (size_t k = 0; k < p->threads[i].n_calls; k++) {
			const struct rec_call *c = p->threads[i].calls[k];
			double pairs = c->period == 1 ? 1 : COLD_PAIRS;

			*counting += COUNT_READS * (double)h->clock_ticks * (double)p->threads[i].totals[k];
			*timing += pairs * (double)h->pair_ticks * (double)c->timed;
		}
}

/* CPU time of a process's threads; of one that was killed, the time they were there without waiting at most. */
static double cpu_ns(const struct report_summary *s, const struct run_process *p)
{
	double sum = 0;

	for (size_t i = 0; i < s->n_threads_listed; i++) {
		const struct report_thread *t = &s->threads[i];

		if (t->process == p)
			sum += t->cpu_known ? t->cpu_ns : t->life_ns - t->wait_ns;
	}
	return sum;
}

void budget_collect(struct report_summary *s, const struct row_list *rows)
{
	struct report_budget *b = &s->budget;
	double cpu = 0, spent = 0;

	for (size_t i = 0; i < s->run->n_processes; i++) {
		const struct run_process *p = &s->run->processes[i];
		double counting = 0, timing = 0, ran = cpu_ns(s, p);

		if (!p->header->budget_ppm)
			continue;
		b->promised = p->header->budget_ppm * 1e-6;
		count_sites(b, p);
		reckon(p, &counting, &timing);
		cpu += ran;
		b->counting += counting * p->ns_per_tick;
		b->timing += timing * p->ns_per_tick;
		spent += p->header->budget_measured_ppm ? p->header->budget_measured_ppm * 1e-6 * ran
							: (counting + timing) * p->ns_per_tick;
	}
	if (cpu <= 0)
		return;
	b->measured = spent / cpu;
	b->counting /= cpu;
	b->timing /= cpu;
	for (size_t i = 0; i < rows->n; i++)
		if (rows->at[i].call && rows->at[i].process->header->budget_ppm)
			*(level_of(rows->at[i].call) == LEVEL_COUNTED ? &b->unseen_ns : &b->seen_ns) +=
				rows->at[i].self_ns;
}

bool budget_broken(const struct report_summary *s)
{
	return s->budget.promised > 0 && s->budget.measured > KEPT * s->budget.promised;
}

/* "412 sites timed" */
static void budget_put_sites(uint64_t n, const char *how, const char *sep, struct strbuf *out)
{
	char number[32];

	strbuf_printf(out, "%s%s site%s %s", sep, num_group(number, sizeof(number), n), n == 1 ? "" : "s",
		      how);
}

/* Why it was not kept, and what helps. */
static void put_reason(const struct report_summary *s, struct strbuf *out)
{
	const struct report_budget *b = &s->budget;
	double rest = b->measured - b->counting - b->timing;

	if (b->counting > b->promised / 2)
		strbuf_printf(out,
			      "          counting calls takes %.1f %% by itself, which can only be won by "
			      "building without some:\n"
			      "          perseus sites --suggest %s -o perseus.rules\n",
			      100 * b->counting, text_run_name(s));
	else if (rest > b->promised / 3)
		strbuf_printf(out,
			      "          %.1f %% went into the start of the recording and of its threads: a "
			      "longer run keeps the promise\n",
			      100 * rest);
}

/* What the recording costs beside what is promised. */
static double not_covered(const struct report_summary *s)
{
	return s->cost.known ? fmax(s->cost.estimate - s->budget.measured, 0) : 0;
}

static void put_rest(const struct report_summary *s, struct strbuf *out)
{
	char more[32] = "what is";

	if (not_covered(s) < REST_SHOWN)
		return;
	if (s->cost.close)
		snprintf(more, sizeof(more), "about %.0f %%", 100 * not_covered(s));
	strbuf_printf(out,
		      "          the promise is for the probes of calls; %s more went into the "
		      "recorder, its\n"
		      "          start, waits and locks, and probes at rest, which no budget limits\n",
		      more);
}

void budget_text(const struct report_summary *s, struct strbuf *out)
{
	const struct report_budget *b = &s->budget;
	double all = b->seen_ns + b->unseen_ns;

	if (b->promised <= 0)
		return;
	strbuf_printf(out, "          %.1f %% of the time in calls is attributed: ",
		      all > 0 ? 100 * b->seen_ns / all : 100);
	budget_put_sites(b->timed, "timed", "", out);
	budget_put_sites(b->sampled, "sampled", ", ", out);
	budget_put_sites(b->counted, "counted only\n", ", ", out);
	if (budget_broken(s))
		put_reason(s, out);
	put_rest(s, out);
}

void budget_json(const struct report_summary *s, struct json *j)
{
	const struct report_budget *b = &s->budget;
	double all = b->seen_ns + b->unseen_ns;

	if (b->promised <= 0)
		return;
	json_object(j, "budget");
	json_double(j, "promised", b->promised);
	json_double(j, "used", b->measured);
	json_double(j, "counting", b->counting);
	if (s->cost.known)
		json_double(j, "not_covered", s->cost.close ? not_covered(s) : (double)NAN);
	json_double(j, "attributed", all > 0 ? b->seen_ns / all : 1);
	json_u64(j, "sites_timed", b->timed);
	json_u64(j, "sites_sampled", b->sampled);
	json_u64(j, "sites_counted", b->counted);
	json_end(j);
}
