/* SPDX-License-Identifier: MIT */
/* The text of `perseus report`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/inspect/demangle.h"
#include "lib/num.h"
#include "report/counters/counters.h"
#include "report/summary.h"
#include "report/text.h"
#include "report/time/order.h"
#include "report/time/words.h"
#include "report/waits/bottleneck.h"

#define WAIT_SHOWN 0.1 /* percent: shorter waits are only shown to who asks for a number of rows */

/* A time, or "-" where nothing was timed. */
static const char *cell_time(const struct report_summary *s, char buf[32], double ns, uint64_t timed)
{
	return timed ? text_duration(buf, 32, ns, s->resolution_ns) : "-";
}

#define HEADS "\n%8s %9s %13s %8s %8s %8s  %s\n", "self", "total", "calls", "p50", "p90", "p99"

/* What functions and call sites have in common. */
#define COLUMNS(s, f, out)                                                                                   \
	columns(s, (f)->self_ns, (f)->total_ns, (f)->calls, (f)->about, (f)->timed,                          \
		(const double[]){(f)->p50_ns, (f)->p90_ns, (f)->p99_ns}, out)

static void columns(const struct report_summary *s, double self, double total, uint64_t calls, bool about,
		    uint64_t timed, const double q[3], struct strbuf *out)
{
	char b[5][32];

	strbuf_printf(out, "%6.1f %% %9s %13s %8s %8s %8s  ", text_percent(self, s->thread_ns),
		      num_time(b[0], sizeof(b[0]), total * 1e-9),
		      text_calls(b[1], sizeof(b[1]), calls, about), cell_time(s, b[2], q[0], timed),
		      cell_time(s, b[3], q[1], timed), cell_time(s, b[4], q[2], timed));
}

static void text_functions(const struct report_summary *s, const struct report_view *view, struct strbuf *out)
{
	const struct report_function **order = order_functions(s, view->sort);

	strbuf_printf(out, HEADS, "function");
	for (size_t i = 0; i < s->n_functions && i < view->rows; i++) {
		const struct report_function *f = order[i];

		COLUMNS(s, f, out);
		strbuf_puts(out, f->name);
		text_beside(f->name, f->at_call ? "called at " : "", f->file, f->line, out);
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

	strbuf_printf(out, HEADS, "call site");
	for (size_t i = 0; i < s->n_sites && i < view->rows; i++) {
		const struct report_site *f = order[i];

		COLUMNS(s, f, out);
		if (f->site && !run_has_flag(f->site->flags, PRS_CF_REGION))
			text_caller(s, f->site, out);
		strbuf_printf(out, "%s\n", f->callee);
	}
	if (s->n_sites > view->rows)
		strbuf_printf(out, "  %zu more: --calls %zu\n", s->n_sites - view->rows, s->n_sites);
	free(order);
}

static void text_waits(const struct report_summary *s, const struct report_view *view, struct strbuf *out)
{
	struct strbuf lock = STRBUF_INIT;
	char ns[32], n[32];

	if (s->n_waits)
		strbuf_puts(out, "\nwaits\n");
	bottleneck_text(s, "              ", &lock);
	if (lock.len)
		strbuf_printf(out, "  %s", lock.s);
	strbuf_release(&lock);
	for (size_t i = 0; i < s->n_waits && i < view->rows; i++) {
		const struct report_wait *w = &s->waits[i];

		if (!view->asked && text_percent(w->ns, s->thread_ns) < WAIT_SHOWN)
			continue;
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
			      num_group(b[4], sizeof(b[4]), t->switches), t->full,
			      t->alive && t->index ? " (alive at the end)" : "");
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
	counters_text(s, view, out);
	text_notes(s, view, out);
}
