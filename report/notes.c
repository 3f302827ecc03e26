/* SPDX-License-Identifier: MIT */
/* The lines below the tables: how the figures were made, and what is missing in them. */
#include <stdio.h>
#include <string.h>

#include "lib/num.h"
#include "report/text.h"
#include "report/time/order.h"
#include "report/time/words.h"

#define INTERRUPTED_MAX  3   /* lines on interrupted calls */
#define INTERRUPTED_LEFT 10  /* calls that were not: fewer say nothing of the cost */
#define INTERRUPTED_PART 10  /* ... and one in so many of all */
#define TIME_SLICE_NS    1e6 /* a longer call is interrupted as a matter of course */
#define INTERRUPTED_DIFF 1.1 /* mean with them over mean without, from where on it matters */
#define SHORT_MAX        3   /* lines on calls that are too short for the clock */
#define SHORT_MIN        5   /* percent of the time not spent in line for a core that may be theirs */
#define NEAR             10  /* times the clock's resolution: calls whose times it makes doubtful */
#define RECORDING_MIN    0.5 /* percent: less is not worth a line */
#define OPEN_MAX         4   /* threads whose open calls are named */
#define FRAMES_MAX       8   /* of each, the innermost */

bool text_interrupted(const struct report_summary *s, const struct text_interrupted *x, struct strbuf *out)
{
	double with, without;
	char b[4][32];

	if (!x->switched || x->switched >= x->timed || x->timed - x->switched < INTERRUPTED_LEFT ||
	    (x->timed - x->switched) * INTERRUPTED_PART < x->timed)
		return false;
	with = x->sum_ns / (double)x->timed;
	without = (x->sum_ns - x->switched_ns) / (double)(x->timed - x->switched);
	if (with < INTERRUPTED_DIFF * without || without > TIME_SLICE_NS)
		return false;
	strbuf_printf(out, "%s of %s timed calls of %s", num_group(b[0], sizeof(b[0]), x->switched),
		      num_group(b[1], sizeof(b[1]), x->timed), x->name);
	if (x->file) {
		strbuf_puts(out, " (");
		text_place(x->file, x->line, out);
		strbuf_puts(out, ")");
	}
	strbuf_printf(out, " were interrupted: mean %s, without them %s\n",
		      text_duration(b[2], sizeof(b[2]), with, s->resolution_ns),
		      text_duration(b[3], sizeof(b[3]), without, s->resolution_ns));
	return true;
}

static void note_interrupted(const struct report_summary *s, const struct report_view *view,
			     struct strbuf *out)
{
	unsigned lines = 0;

	for (size_t i = 0; i < s->n_sites && i < view->rows && lines < INTERRUPTED_MAX; i++) {
		const struct report_site *f = &s->sites[i];
		struct text_interrupted x = {.name = f->callee,
					     .timed = f->timed,
					     .switched = f->switched,
					     .sum_ns = f->sum_ns,
					     .switched_ns = f->switched_ns};

		if (f->site && run_has_flag(f->site->flags, PRS_CF_WAIT))
			continue;
		if (f->site && strcmp(f->site->file, "-")) {
			x.file = f->site->file;
			x.line = f->site->line;
		}
		lines += text_interrupted(s, &x, out);
	}
}

/* "main -> run (prog.c:12) -> poll (prog.c:40), for 1.2 s" */
static void note_stack(const struct report_thread *line, const struct run_thread *t, struct strbuf *out)
{
	const struct run_process *p = line->process;
	size_t first = t->n_open > FRAMES_MAX ? t->n_open - FRAMES_MAX : 0;
	const struct rec_open *last = &t->open[t->n_open - 1];
	char time[32];

	strbuf_printf(out, "%s was in %s", line->full, first ? ".." : "");
	for (size_t d = first; d < t->n_open; d++) {
		const struct run_call_site *site = run_call_site(p, t->open[d].site);

		strbuf_puts(out, d > first || first ? " -> " : "");
		strbuf_puts(out, site ? site->callee : "a call that is not in the tables");
		if (!site || !strcmp(site->file, "-"))
			continue;
		strbuf_puts(out, " (");
		text_place(site->file, site->line, out);
		strbuf_puts(out, ")");
	}
	if (p->end > last->start)
		strbuf_printf(
			out, ", for %s",
			num_time(time, sizeof(time), (double)run_span_ns(p, p->end - last->start) * 1e-9));
	strbuf_puts(out, "\n");
}

/* Where threads were when their process was killed. */
static void note_open(const struct report_summary *s, struct strbuf *out)
{
	size_t shown = 0, n = 0;

	for (size_t i = 0; i < s->n_threads_listed; i++) {
		const struct report_thread *line = &s->threads[i];
		const struct run_thread *t = &line->process->threads[line->index];

		if (line->process->complete || !line->alive || !t->n_open)
			continue;
		n++;
		if (shown == OPEN_MAX)
			continue;
		note_stack(line, t, out);
		shown++;
	}
	if (n > shown)
		strbuf_printf(out, "%zu more threads were inside of calls\n", n - shown);
}

/* Records of minor 0 have coarser histograms, and no mark for what was interrupted. */
static bool is_old(const struct run *run)
{
	for (size_t i = 0; i < run->n_processes; i++)
		if (run->processes[i].header->minor < 1)
			return true;
	return false;
}

static bool any_about(const struct report_summary *s)
{
	for (size_t i = 0; i < s->n_sites; i++)
		if (s->sites[i].about)
			return true;
	return false;
}

static void note_method(const struct report_summary *s, struct strbuf *out)
{
	char ns[32];

	strbuf_printf(
		out,
		"\nself is the share of thread time without calls inside and without waiting; p50 to p99\n"
		"come from a histogram: right within %s\n",
		is_old(s->run) ? "a factor of 2" : "12.5 %");
	if (s->resolution_ns > 0)
		strbuf_printf(out, "single times below %s cannot be distinguished\n",
			      num_time(ns, sizeof(ns), s->resolution_ns * 1e-9));
	if (s->timed + s->open < s->calls)
		strbuf_printf(
			out,
			"calls are exact; %.1f %% of them were timed, the rest is estimated from those\n"
			"that were not interrupted\n%s",
			text_percent((double)s->timed, (double)s->calls),
			any_about(s) ? "~: exact only in sum over the callees of a sampled indirect call\n"
				     : "");
}

/* Calls shorter than the clock can tell have a time between nothing and its resolution each. */
static void note_short(const struct report_summary *s, const struct report_view *view, struct strbuf *out)
{
	unsigned lines = 0;

	for (size_t i = 0; i < s->n_functions && i < view->rows && lines < SHORT_MAX; i++) {
		const struct report_function *f = &s->functions[i];
		double most = (double)f->calls * s->resolution_ns;
		char calls[32], ns[32];

		if (!f->timed || f->p50_ns >= s->resolution_ns || most <= 2 * f->self_ns ||
		    text_percent(most, s->own_ns) < SHORT_MIN)
			continue;
		lines++;
		strbuf_printf(
			out,
			"%s: %s calls too short for the clock: up to %s of their callers' own time may be "
			"theirs\n",
			f->name, num_group(calls, sizeof(calls), f->calls),
			num_time(ns, sizeof(ns), (most - f->self_ns) * 1e-9));
	}
}

/*
 * The clock is not read in order with the program's instructions, which go on behind
 * the last read: a call that is a few times longer than the clock's resolution may be
 * told that much too short.
 */
static void note_near(const struct report_summary *s, struct strbuf *out)
{
	double most = 0;
	char each[32], sum[32], limit[32];

	for (size_t i = 0; i < s->n_functions; i++) {
		const struct report_function *f = &s->functions[i];

		if (f->timed && f->p50_ns >= s->resolution_ns && f->p50_ns < NEAR * s->resolution_ns)
			most += (double)f->calls * s->resolution_ns;
	}
	if (text_percent(most, s->own_ns) < SHORT_MIN)
		return;
	strbuf_printf(out,
		      "calls of less than %s may take %s more than told, which is in their callers' own "
		      "time:\n%s at the most\n",
		      num_time(limit, sizeof(limit), NEAR * s->resolution_ns * 1e-9),
		      num_time(each, sizeof(each), s->resolution_ns * 1e-9),
		      num_time(sum, sizeof(sum), most * 1e-9));
}

/* What a timed pair of probes costs, in the process where it is costliest. */
static double pair_ns(const struct run *run)
{
	double most = 0;

	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *p = &run->processes[i];
		double ns = p->header->minor >= 1 ? (double)p->header->pair_ticks * p->ns_per_tick : 0;

		if (ns > most)
			most = ns;
	}
	return most;
}

static void note_cost(const struct report_summary *s, struct strbuf *out)
{
	char ns[32];

	if (text_percent(s->probe_ns, s->thread_ns) >= RECORDING_MIN && pair_ns(s->run) > 0)
		strbuf_printf(
			out,
			"recording: %.1f %% of thread time, %s a timed call; it is taken off the calls, "
			"right\nwithin a quarter\n",
			text_percent(s->probe_ns, s->thread_ns),
			num_time(ns, sizeof(ns), pair_ns(s->run) * 1e-9));
}

void text_notes(const struct report_summary *s, const struct report_view *view, struct strbuf *out)
{
	const struct run *run = s->run;
	char n[32];

	note_method(s, out);
	note_short(s, view, out);
	note_near(s, out);
	note_cost(s, out);
	note_interrupted(s, view, out);
	note_open(s, out);
	if (s->open)
		strbuf_printf(out, "%s call%s had not returned at the end%s\n",
			      num_group(n, sizeof(n), s->open), s->open == 1 ? "" : "s",
			      is_old(run) ? ": the time is their callers'" : ": timed up to there");
	if (s->skipped)
		strbuf_printf(out,
			      "%s calls or accesses carry no probe: perseus sites %s --skipped names them\n",
			      num_group(n, sizeof(n), s->skipped), text_run_name(s));
	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *p = &run->processes[i];

		if (p->damage)
			strbuf_printf(out, "process %u: %s\n", p->header->pid, p->damage);
		else if (!p->complete && run->complete)
			strbuf_printf(out,
				      "process %u did not end by exit: a signal, or it is still running\n",
				      p->header->pid);
	}
}
