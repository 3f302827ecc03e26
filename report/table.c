/* SPDX-License-Identifier: MIT */
/* The text of `perseus report`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/demangle.h"
#include "lib/num.h"
#include "report/order.h"
#include "report/text.h"

/* A time, or "-" where nothing was timed. */
static const char *cell_time(char *buf, size_t size, double ns, bool known)
{
	if (known)
		return num_time(buf, size, ns * 1e-9);
	snprintf(buf, size, "-");
	return buf;
}

static void columns(const struct report_summary *s, double self, double total, uint64_t calls, uint64_t timed,
		    double p50, double p99, struct strbuf *out)
{
	char b[4][32];

	strbuf_printf(out, "%6.1f %% %9s %13s %8s %8s  ", text_percent(self, s->thread_ns),
		      num_time(b[0], sizeof(b[0]), total * 1e-9), num_group(b[1], sizeof(b[1]), calls),
		      cell_time(b[2], sizeof(b[2]), p50, timed), cell_time(b[3], sizeof(b[3]), p99, timed));
}

static void text_functions(const struct report_summary *s, const struct report_view *view, struct strbuf *out)
{
	const struct report_function **order = order_functions(s, view->sort);

	strbuf_printf(out, "\n%8s %9s %13s %8s %8s  function\n", "self", "total", "calls", "p50", "p99");
	for (size_t i = 0; i < s->n_functions && i < view->rows; i++) {
		const struct report_function *f = order[i];

		columns(s, f->self_ns, f->total_ns, f->calls, f->timed, f->p50_ns, f->p99_ns, out);
		strbuf_puts(out, f->name);
		strbuf_puts(out, f->file ? f->at_call ? " (called at " : " (" : "");
		text_place(f->file, f->line, out);
		strbuf_puts(out, f->file ? ")" : "");
		strbuf_puts(out, f->starts ? ", start of a thread\n" : "\n");
	}
	if (s->n_functions > view->rows)
		strbuf_printf(out, "  %zu more: --calls %zu\n", s->n_functions - view->rows, s->n_functions);
	free(order);
}

/* "radar.c:140 main -> ", in the program's own source. */
static void text_caller(const struct report_summary *s, const struct run_call_site *site, struct strbuf *out)
{
	const struct run_function *f;
	struct run_place place;
	char *name;

	run_site_place(s->run, site, &place);
	f = run_function(s->run, place.function);
	name = f ? NULL : demangle_short(place.function);
	text_place(place.file, place.line, out);
	strbuf_printf(out, " %s -> ", f ? f->pretty : name ? name : place.function);
	free(name);
}

static void text_sites(const struct report_summary *s, const struct report_view *view, struct strbuf *out)
{
	const struct report_site **order = order_sites(s, view->sort);

	strbuf_printf(out, "\n%8s %9s %13s %8s %8s  call site\n", "self", "total", "calls", "p50", "p99");
	for (size_t i = 0; i < s->n_sites && i < view->rows; i++) {
		const struct report_site *f = order[i];

		columns(s, f->self_ns, f->total_ns, f->calls, f->timed, f->p50_ns, f->p99_ns, out);
		if (f->site)
			text_caller(s, f->site, out);
		strbuf_printf(out, "%s\n", f->callee);
	}
	if (s->n_sites > view->rows)
		strbuf_printf(out, "  %zu more: --calls %zu\n", s->n_sites - view->rows, s->n_sites);
	free(order);
}

static void text_waits(const struct report_summary *s, const struct report_view *view, struct strbuf *out)
{
	char ns[32], n[32];

	if (s->n_waits)
		strbuf_puts(out, "\nwaits\n");
	for (size_t i = 0; i < s->n_waits && i < view->rows; i++) {
		const struct report_wait *w = &s->waits[i];

		strbuf_puts(out, "  ");
		text_wait(s, w, out);
		strbuf_printf(out, "              %s in %s wait%s\n", num_time(ns, sizeof(ns), w->ns * 1e-9),
			      num_group(n, sizeof(n), w->count), w->count == 1 ? "" : "s");
	}
}

static void text_threads(const struct report_summary *s, struct strbuf *out)
{
	char b[5][32];

	strbuf_printf(out, "\n%8s %6s %9s %9s %9s %13s %8s  thread\n", "process", "thread", "life", "cpu",
		      "waiting", "calls", "switches");
	for (size_t i = 0; i < s->n_threads_listed; i++) {
		const struct report_thread *t = &s->threads[i];

		strbuf_printf(out, "%8u %6u %9s %9s %9s %13s %8s  %s%s\n", t->process->header->pid, t->index,
			      num_time(b[0], sizeof(b[0]), t->life_ns * 1e-9),
			      t->cpu_known ? num_time(b[1], sizeof(b[1]), t->cpu_ns * 1e-9) : "-",
			      num_time(b[2], sizeof(b[2]), t->wait_ns * 1e-9),
			      num_group(b[3], sizeof(b[3]), t->calls),
			      num_group(b[4], sizeof(b[4]), t->switches), t->name,
			      t->alive && t->index ? " (alive at the end)" : "");
	}
}

/* What the figures rest on: one line each, only where there is something to know. */
static void text_notes(const struct report_summary *s, struct strbuf *out)
{
	const struct run *run = s->run;
	char n[32];

	strbuf_puts(out,
		    "\nself is the share of thread time without calls inside and without waiting; p50 and "
		    "p99\ncome from powers of two, interpolated: right within a factor of 2\n");
	if (s->timed < s->calls)
		strbuf_printf(
			out,
			"calls are exact; %.1f %% of them were timed, the rest is estimated from these\n"
			"without outliers\n",
			text_percent((double)s->timed, (double)s->calls));
	if (s->open)
		strbuf_printf(out, "%s call%s had not returned at the end: the time is their callers'\n",
			      num_group(n, sizeof(n), s->open), s->open == 1 ? "" : "s");
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

void report_text(const struct report_summary *s, const struct report_view *view, struct strbuf *out)
{
	text_head(s, out);
	text_time(s, out);
	if (s->n_functions)
		text_functions(s, view, out);
	if (s->n_sites)
		text_sites(s, view, out);
	text_waits(s, view, out);
	if (view->threads)
		text_threads(s, out);
	text_notes(s, out);
}
