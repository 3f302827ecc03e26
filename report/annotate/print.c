/* SPDX-License-Identifier: MIT */
/* `perseus annotate` as text and JSON. */
#include <stdio.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/json.h"
#include "lib/num.h"
#include "lib/shown.h"
#include "report/annotate/parts.h"
#include "report/time/words.h"

#define ANNOTATE_SCHEMA 1
#define AROUND          3u  /* lines beside one of which something is known */
#define ASKED           10u /* ... beside one that was asked for */
#define HOT             5.0 /* percent of the thread time, or of the transfers */
#define HOTTEST         3   /* that the first line names */
#define TAB             4
#define WIDTH_MIN       60u

/* ---- what is hot ---- */

/* Percent of the whole that is spent, waited or moved here. */
static double heat(const struct annotate *a, const struct annotate_line *l)
{
	double whole = a->s->thread_ns, moved = (double)a->s->transfers;
	double self = text_percent(l->self_ns, whole), wait = text_percent(l->wait_ns, whole);

	if (a->s->sharing)
		return text_percent((double)l->transfers, moved);
	return self > wait ? self : wait;
}

/* The hottest line below @bound, NULL: none is left. */
static const struct annotate_line *next_hot(const struct annotate *a, double bound, uint32_t not )
{
	const struct annotate_line *best = NULL;

	for (size_t i = 0; i < a->n; i++) {
		double h = heat(a, &a->lines[i]);

		if (h <= 0.05 || h > bound || a->lines[i].line == not )
			continue;
		if (!best || h > heat(a, best))
			best = &a->lines[i];
	}
	return best;
}

static void put_answer(const struct annotate *a, struct strbuf *out)
{
	double self = 0, wait = 0, bound = 1e9;
	uint64_t transfers = 0;
	uint32_t last = 0;
	char n[32];

	for (size_t i = 0; i < a->n; i++) {
		self += a->lines[i].self_ns;
		wait += a->lines[i].wait_ns;
		transfers += a->lines[i].transfers;
	}
	if (a->s->sharing)
		strbuf_printf(out, "%s: %s transfers of lines from another thread, %.1f %% of the run's",
			      fs_base_name(a->file), num_group(n, sizeof(n), transfers),
			      text_percent((double)transfers, (double)a->s->transfers));
	else
		strbuf_printf(out,
			      "%s: its functions have %.1f %% of the thread time themselves, %.1f %% is "
			      "waited in it",
			      fs_base_name(a->file), text_percent(self, a->s->thread_ns),
			      text_percent(wait, a->s->thread_ns));
	strbuf_puts(out, "\n");
	for (int i = 0; i < HOTTEST; i++) {
		const struct annotate_line *l = next_hot(a, bound, last);

		if (!l)
			break;
		strbuf_printf(out, "%s line %u (%.1f %%)", i ? "," : "hottest  ", l->line, heat(a, l));
		bound = heat(a, l);
		last = l->line;
	}
	strbuf_puts(out, last ? "\n" : "");
}

/* ---- the table ---- */

static void put_percent(const struct annotate *a, double ns, struct strbuf *out)
{
	if (ns > 0)
		strbuf_printf(out, "%5.1f %% ", text_percent(ns, a->s->thread_ns));
	else
		strbuf_printf(out, "%8s", "");
}

static void put_count(uint64_t count, bool about, int width, struct strbuf *out)
{
	char n[40] = "";

	if (count >= 10000000)
		num_si(n, sizeof(n), (double)count);
	else if (count)
		text_calls(n, sizeof(n), count, about);
	strbuf_printf(out, "%*s ", width, n);
}

/* Of the cost the most that it may be. */
static void put_denormals(const struct annotate *a, const struct annotate_line *l, struct strbuf *out)
{
	char n[32] = "";

	put_count(l->births, false, 10, out);
	put_count(l->denormals, false, 10, out);
	if (!a->denormal->priced)
		return;
	if (l->cost_high_ps > 0)
		num_time(n, sizeof(n), l->cost_high_ps * 1e-12);
	strbuf_printf(out, "%9s ", n);
}

/* A function's line has what it took, any other what was called from it. */
static void put_figures(const struct annotate *a, const struct annotate_line *l, struct strbuf *out)
{
	static const struct annotate_line none;
	double total;
	char n[32] = "";

	if (!l)
		l = &none;
	if (a->s->sharing) {
		put_count(l->transfers, false, 10, out);
		put_count(l->accesses, false, 11, out);
	} else {
		total = l->function ? l->total_ns : l->calls_ns;
		put_percent(a, l->self_ns, out);
		if (total > 0)
			num_time(n, sizeof(n), total * 1e-9);
		strbuf_printf(out, "%9s ", n);
	}
	put_count(l->function ? l->called : l->calls, l->about, 10, out);
	if (!a->s->sharing)
		put_percent(a, l->wait_ns, out);
	if (a->denormal)
		put_denormals(a, l, out);
}

/* The text of line @number, tabs spread, cut to @width columns. */
static void put_source(const struct annotate *a, uint32_t number, size_t width, struct strbuf *out)
{
	const char *p = number <= a->n_at ? a->at[number - 1] : "";
	size_t at = 0, n, start = out->len, kept = start;

	for (; *p && *p != '\n' && at <= width; p += n) {
		uint32_t c = shown_char(p, &n);
		size_t wide = c == '\t' ? TAB - at % TAB : 1;

		if (at + 2 <= width)
			kept = out->len;
		if (c == '\r')
			continue;
		if (c == '\t')
			strbuf_printf(out, "%*s", (int)wide, "");
		else if (shown_not(c))
			strbuf_puts(out, "?");
		else
			strbuf_add(out, p, n);
		at += wide;
	}
	if (at > width) {
		out->len = kept;
		strbuf_puts(out, "..");
	}
}

static void put_line(const struct annotate *a, const struct annotate_view *view, uint32_t number,
		     const struct annotate_line *l, struct strbuf *out)
{
	bool hot = l && heat(a, l) >= HOT;
	size_t start = out->len, used;

	strbuf_puts(out, hot ? "* " : "  ");
	put_figures(a, l, out);
	strbuf_printf(out, "%6u  ", number);
	used = out->len - start;
	put_source(a, number, view->columns > used ? view->columns - used : 0, out);
	while (out->len > start && out->s[out->len - 1] == ' ')
		out->len--;
	strbuf_puts(out, "\n");
}

/* Is the line shown: asked for, or close to one of which something is known? */
static bool wanted(const struct annotate *a, const struct annotate_view *view, uint32_t number, size_t next)
{
	if (view->line)
		return number + ASKED >= view->line && number <= view->line + ASKED;
	return view->all || (next < a->n && a->lines[next].line <= number + AROUND) ||
	       (next && a->lines[next - 1].line + AROUND >= number);
}

static void put_table(const struct annotate *a, const struct annotate_view *view, struct strbuf *out)
{
	uint32_t last = a->n ? a->lines[a->n - 1].line : 0;
	bool gap = false, any = false;
	size_t next = 0;

	if (last < a->n_at)
		last = (uint32_t)a->n_at;
	strbuf_puts(out, a->s->sharing ? "\n   transfers    accesses      calls"
				       : "\n     self     total      calls   waits");
	if (a->denormal)
		strbuf_printf(out, "       born  denormals%s", a->denormal->priced ? " cost, max" : "");
	strbuf_puts(out, "   line\n");
	for (uint32_t number = 1; number <= last; number++) {
		const struct annotate_line *l = NULL;

		if (next < a->n && a->lines[next].line == number)
			l = &a->lines[next++];
		if (!wanted(a, view, number, next) && !l) {
			gap = true;
			continue;
		}
		if (view->line && !wanted(a, view, number, next))
			continue;
		/* Without the source there is nothing to see between. */
		if (!l && !a->text)
			continue;
		if (gap && any && !view->line && a->text)
			strbuf_puts(out, "  ..\n");
		gap = false;
		any = true;
		put_line(a, view, number, l, out);
	}
}

void annotate_text(const struct annotate *a, const struct annotate_view *view, struct strbuf *out)
{
	struct annotate_view v = *view;

	if (v.columns < WIDTH_MIN)
		v.columns = WIDTH_MIN;
	put_answer(a, out);
	annotate_match_text(a, out);
	put_table(a, &v, out);
	if (a->s->sharing)
		strbuf_puts(out,
			    "\ntransfers: lines that came from another thread; *: 5 % of the run's and more\n"
			    "times are not shown: memory probes make a sharing run slower\n");
	else
		strbuf_puts(out,
			    "\nself: of the function defined here; total: of it, else of what is called "
			    "from here, with\nall inside; waits: of all threads; in % of thread time; *: "
			    "5 % and more\n");
	if (a->denormal)
		strbuf_printf(
			out,
			"born: denormal numbers that were made here; denormals: results, loads and "
			"stores that\nwere denormal, of %s%s\n",
			a->denormal->run->path,
			a->denormal->priced ? "" : "; not priced: perseus calibrate measures what they cost");
}

/* ---- JSON ---- */

static void json_line(struct json *j, const struct annotate *a, const struct annotate_line *l)
{
	struct strbuf text = STRBUF_INIT;

	json_object(j, NULL);
	json_u64(j, "line", l->line);
	if (l->line <= a->n_at) {
		const char *at = a->at[l->line - 1];

		strbuf_add(&text, at, strcspn(at, "\n"));
		json_string(j, "text", text.s);
	}
	json_string(j, "function", l->function);
	json_double(j, "self_ns", l->self_ns);
	json_double(j, "total_ns", l->total_ns);
	json_u64(j, "called", l->called);
	json_u64(j, "calls", l->calls);
	json_double(j, "calls_ns", l->calls_ns);
	json_bool(j, "calls_estimated", l->about);
	json_u64(j, "waits", l->waits);
	json_double(j, "wait_ns", l->wait_ns);
	if (a->s->sharing) {
		json_u64(j, "accesses", l->accesses);
		json_u64(j, "line_transfers", l->transfers);
	}
	if (a->denormal) {
		json_u64(j, "births", l->births);
		json_u64(j, "denormals", l->denormals);
	}
	if (a->denormal && a->denormal->priced) {
		json_double(j, "denormal_cost_ns_low", l->cost_low_ps / 1000);
		json_double(j, "denormal_cost_ns_high", l->cost_high_ps / 1000);
	}
	json_end(j);
	strbuf_release(&text);
}

void annotate_json(const struct annotate *a, struct strbuf *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", ANNOTATE_SCHEMA);
	json_string(&j, "run", a->s->run->path);
	json_string(&j, "trial", a->s->run->manifest.trial);
	json_bool(&j, "complete", a->s->run->complete);
	json_string(&j, "purpose", a->s->sharing ? "sharing" : "timing");
	json_string(&j, "file", a->file);
	json_string(&j, "path", a->path);
	json_string(&j, "source", annotate_match_word(a->match));
	json_u64(&j, "functions", a->functions);
	json_u64(&j, "functions_at_their_line", a->placed);
	json_double(&j, "thread_ns", a->s->thread_ns);
	json_array(&j, "lines");
	for (size_t i = 0; i < a->n; i++)
		json_line(&j, a, &a->lines[i]);
	json_end(&j);
	json_end(&j);
}
