/* SPDX-License-Identifier: MIT */
/*
 * The first screen: may this be trusted, where does the time go, what is wrong,
 * what to do.  Plain HTML and SVG, which prints and needs no script.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/sharing/remedy.h"
#include "lib/fs.h"
#include "lib/html/html.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "report/page/findings.h"
#include "report/page/parts.h"
#include "report/text.h"
#include "report/time/overhead.h"
#include "report/time/words.h"

#define FUNCTIONS_SHOWN 8u
#define THREADS_SHOWN   12u
#define FINDINGS_SHOWN  5u
#define CHANGES_SHOWN   8u
#define NAME_SHOWN      60u /* bytes of a name; a longer one goes without what is in its templates */

/* "<td>", the text, "</td>"; @class may be NULL. */
static void put_cell(struct strbuf *out, const char *class, const char *text)
{
	strbuf_printf(out, class ? "<td class=\"%s\">" : "<td>", class);
	html_text(out, text);
	strbuf_puts(out, "</td>");
}

static void __attribute__((format(printf, 3, 4)))
put_cellf(struct strbuf *out, const char *class, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	put_cell(out, class, text);
}

/* How a section was computed: folded away, and never printed apart from it. */
static void put_how(struct strbuf *out, const char *how, const char *verb, const char *run)
{
	strbuf_puts(out, "<details class=\"how\"><summary>How was this computed?</summary><p>");
	html_text(out, how);
	strbuf_puts(out, "</p><p><code>perseus ");
	html_text(out, verb);
	strbuf_puts(out, " ");
	html_text(out, run);
	strbuf_puts(out, "</code></p></details>\n");
}

/* One part of a bar; @kind is a class of the style. */
struct part {
	const char *name, *kind;
	double share; /* 0..1 */
};

static void put_bar(struct strbuf *out, const struct part *parts, size_t n, const char *label)
{
	double at = 0;

	strbuf_puts(out, "<svg class=\"bar\" viewBox=\"0 0 100 6\" preserveAspectRatio=\"none\" role=\"img\" "
			 "aria-label=\"");
	html_text(out, label);
	strbuf_puts(out, "\"><rect class=\"none\" width=\"100\" height=\"6\"/>");
	for (size_t i = 0; i < n; i++) {
		double wide = 100 * parts[i].share;

		if (wide > 100 - at)
			wide = 100 - at;
		if (wide > 0)
			strbuf_printf(out, "<rect class=\"%s\" x=\"%.2f\" width=\"%.2f\" height=\"6\"/>",
				      parts[i].kind, at, wide);
		at += wide > 0 ? wide : 0;
	}
	strbuf_puts(out, "</svg>");
}

/* Lines of text that the commands print; what is too long goes on below the text, not below the word in front. */
static void put_lines(struct strbuf *out, const char *text)
{
	strbuf_puts(out, "<pre>");
	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = mem_strndup(text, n);

		strbuf_puts(out, "<span class=\"line\">");
		html_text(out, line);
		strbuf_puts(out, "\n</span>");
		free(line);
		text += n + (text[n] == '\n');
	}
	strbuf_puts(out, "</pre>\n");
}

static void put_trust(const struct page_parts *p, struct strbuf *out)
{
	static const struct {
		const char *word, *says;
	} words[] = {
		{"good", "The figures can be used as they are."},
		{"limited", "Usable, with what is named below in mind."},
		{"none", "No part of the program carries probes: there is nothing to see."},
		{"incomplete", "A part of the run is missing: what there is, is right as far as it goes."},
	};
	const struct report_summary *s = p->times;
	const char *word = text_trust_word(s);
	struct strbuf head = STRBUF_INIT;

	strbuf_puts(
		out,
		"<section id=\"trust\" aria-labelledby=\"h-trust\"><h2 id=\"h-trust\">May I trust this? ");
	strbuf_printf(out, "<strong class=\"word %s\">%s</strong></h2>\n<p>", word, word);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].word, word))
			html_text(out, words[i].says);
	if (s->sharing)
		html_text(out, " Times are those of a sharing run, which its memory probes slow down.");
	strbuf_puts(out, "</p>\n");
	text_head(s, &head);
	put_lines(out, head.s);
	strbuf_release(&head);
	for (size_t i = 0; p->sharing && i < p->sharing->rep.doubts.n; i++) {
		strbuf_puts(out, "<p>Sharing is inconclusive: ");
		html_text(out, p->sharing->rep.doubts.at[i]);
		strbuf_puts(out, ".</p>\n");
	}
	for (size_t i = 0; p->left_out && p->left_out[i]; i++) {
		strbuf_puts(out, "<p>");
		html_text(out, p->left_out[i]);
		strbuf_puts(out, "</p>\n");
	}
	put_how(out,
		"Sites that registered of those compiled, records lost, and the overhead by samples of "
		"the program's own CPU time.",
		"report", s->run->path);
	strbuf_puts(out, "</section>\n");
}

static void put_parts(const struct report_summary *s, struct strbuf *out)
{
	struct report_shares sh = text_shares(s);
	const struct part parts[] = {
		{"own code", "own", sh.own},
		{"waiting", "wait", sh.waiting},
		{"libraries without probes", "lib", sh.libraries},
		{"in line for a core, in no call", "line", sh.line},
		{"unknown", "unknown", sh.unknown},
		{"recording", "probe", sh.probes},
	};

	put_bar(out, parts, sizeof(parts) / sizeof(parts[0]),
		"parts of the thread time, as in the table below");
	strbuf_puts(out, "<table class=\"legend\"><caption>Thread time by part</caption><tr>");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		strbuf_printf(out,
			      "<th scope=\"col\"><svg class=\"key\" viewBox=\"0 0 10 10\" "
			      "aria-hidden=\"true\"><rect "
			      "class=\"%s\" width=\"10\" height=\"10\"/></svg> %s</th>",
			      parts[i].kind, parts[i].name);
	}
	strbuf_puts(out, "</tr><tr>");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		put_cellf(out, "n", "%.1f %%", 100 * parts[i].share);
	strbuf_puts(out, "</tr></table>\n");
}

static void put_function(const struct report_summary *s, const struct report_function *f, double widest,
			 struct strbuf *out)
{
	/* A function that no table knows has no probes: its time is that of a library. */
	struct part part = {f->name, f->at_call ? "lib" : "own", widest > 0 ? f->self_ns / widest : 0};
	struct strbuf place = STRBUF_INIT, name = STRBUF_INIT;
	char calls[32], p50[32], p99[32], label[32];

	strbuf_puts(out, "<tr>");
	text_short(f->name, NAME_SHOWN, &name);
	strbuf_puts(out, "<td class=\"name\">");
	html_name(out, name.s);
	strbuf_puts(out, "</td>");
	strbuf_release(&name);
	if (f->at_call && f->file)
		strbuf_puts(&place, "called at ");
	text_place(f->file, f->line, &place);
	put_cell(out, "place", place.s);
	strbuf_release(&place);
	snprintf(label, sizeof(label), "%.1f %%", text_percent(f->self_ns, s->thread_ns));
	strbuf_puts(out, "<td>");
	put_bar(out, &part, 1, label);
	strbuf_puts(out, "</td>");
	put_cell(out, "n", label);
	put_cell(out, "n",
		 f->starts && !f->timed ? "" : text_calls(calls, sizeof(calls), f->calls, f->about));
	put_cell(out, "n", f->timed ? text_duration(p50, sizeof(p50), f->p50_ns, s->resolution_ns) : "");
	put_cell(out, "n", f->timed ? text_duration(p99, sizeof(p99), f->p99_ns, s->resolution_ns) : "");
	strbuf_puts(out, "</tr>\n");
}

static void put_functions(const struct report_summary *s, struct strbuf *out)
{
	strbuf_puts(out, "<table><caption>Functions by self time, share of the thread time</caption><tr><th "
			 "scope=\"col\">function</th>"
			 "<th scope=\"col\">place</th><th scope=\"col\" class=\"wide\">self</th><th "
			 "scope=\"col\">share</th>"
			 "<th scope=\"col\">calls</th><th scope=\"col\">p50</th><th scope=\"col\">p99"
			 "</th></tr>\n");
	for (size_t i = 0; i < s->n_functions && i < FUNCTIONS_SHOWN; i++)
		put_function(s, &s->functions[i], s->functions[0].self_ns, out);
	strbuf_puts(out, "</table>\n");
}

static int longest(const void *a, const void *b)
{
	const struct report_thread *x = *(const struct report_thread *const *)a;
	const struct report_thread *y = *(const struct report_thread *const *)b;

	if (x->life_ns != y->life_ns)
		return x->life_ns > y->life_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void put_thread(const struct report_thread *t, double life, struct strbuf *out)
{
	double work = t->life_ns - t->wait_ns;
	const struct part parts[] = {{"", "own", life > 0 ? work / life : 0},
				     {"", "wait", life > 0 ? t->wait_ns / life : 0}};
	char label[96], a[32], b[32];

	num_time(a, sizeof(a), work * 1e-9);
	num_time(b, sizeof(b), t->wait_ns * 1e-9);
	snprintf(label, sizeof(label), "%s not waiting, %s waiting", a, b);
	strbuf_puts(out, "<tr>");
	put_cell(out, "name", t->full);
	strbuf_puts(out, "<td>");
	put_bar(out, parts, 2, label);
	strbuf_puts(out, "</td>");
	put_cell(out, "n", a);
	put_cell(out, "n", b);
	put_cell(out, "n", t->cpu_known ? num_time(a, sizeof(a), t->cpu_ns * 1e-9) : "not known");
	strbuf_puts(out, "</tr>\n");
}

static void put_threads(const struct report_summary *s, struct strbuf *out)
{
	const struct report_thread **order = mem_new(s->n_threads_listed + 1, sizeof(*order));
	size_t n = s->n_threads_listed;
	char more[32];

	for (size_t i = 0; i < n; i++)
		order[i] = &s->threads[i];
	qsort(order, n, sizeof(*order), longest);
	strbuf_puts(
		out,
		"<table><caption>Threads by their time</caption><tr><th scope=\"col\">thread</th><th "
		"scope=\"col\" class=\"wide\">not waiting, waiting</th><th scope=\"col\">not waiting</th><th "
		"scope=\"col\">waiting</th><th scope=\"col\">CPU time</th></tr>\n");
	for (size_t i = 0; i < n && i < THREADS_SHOWN; i++)
		put_thread(order[i], order[0]->life_ns, out);
	strbuf_puts(out, "</table>\n");
	if (n > THREADS_SHOWN)
		strbuf_printf(out, "<p>%s more threads took less time each.</p>\n",
			      num_group(more, sizeof(more), n - THREADS_SHOWN));
	free(order);
}

static void put_time(const struct page_parts *p, struct strbuf *out)
{
	struct report_summary *s = p->times;
	struct strbuf line = STRBUF_INIT;

	strbuf_puts(out, "<section id=\"time\" aria-labelledby=\"h-time\"><h2 id=\"h-time\">Where does the "
			 "time go?</h2>\n");
	put_parts(s, out);
	text_time(s, &line);
	put_lines(out, line.s);
	strbuf_release(&line);
	put_functions(s, out);
	put_threads(s, out);
	page_energy_line(s, s->sharing ? NULL : p->model, p->joules, out);
	put_how(out,
		"Thread time is the lifetimes of all threads added up; each nanosecond is in one part. Self "
		"time is without the calls made inside and without waiting; calls that were counted and not "
		"timed are charged the mean of the timed ones.",
		"report", s->run->path);
	strbuf_puts(out, "</section>\n");
}

static void put_finding(const struct page_finding *f, struct strbuf *out)
{
	strbuf_puts(out, "<li><strong>");
	html_text(out, f->title);
	strbuf_puts(out, "</strong> <span class=\"id\">");
	html_text(out, f->id);
	strbuf_puts(out, "</span><br>");
	html_text(out, f->cost);
	for (size_t i = 0; i < f->n_places; i++) {
		strbuf_puts(out, "<br><span class=\"place\">");
		html_text(out, f->places[i]);
		strbuf_puts(out, "</span>");
	}
	strbuf_puts(out, "</li>\n");
}

static void put_advice(const struct page_finding *f, struct strbuf *out)
{
	strbuf_puts(out, "<li>");
	html_text(out, f->advice);
	if (f->command) {
		strbuf_puts(out, "<br><code>");
		html_text(out, f->command);
		strbuf_puts(out, "</code>");
	}
	strbuf_puts(out, "</li>\n");
}

static void put_findings(const struct page_parts *p, struct strbuf *out)
{
	struct page_findings f;
	size_t n;

	page_findings_make(&f, p);
	n = f.n < FINDINGS_SHOWN ? f.n : FINDINGS_SHOWN;
	strbuf_puts(out, "<section id=\"wrong\" aria-labelledby=\"h-wrong\"><h2 id=\"h-wrong\">What is "
			 "wrong?</h2>\n<ol>\n");
	for (size_t i = 0; i < n; i++)
		put_finding(&f.at[i], out);
	strbuf_puts(out, "</ol>\n");
	if (!f.n)
		strbuf_puts(out, "<p>Nothing that costs 1 % of the run was found.</p>\n");
	else if (f.n > n)
		strbuf_printf(out, "<p>%zu more cost less each.</p>\n", f.n - n);
	if (!p->sharing)
		strbuf_puts(out, "<p>Sharing of cache lines was not looked for: <code>perseus record "
				 "--purpose=sharing PROGRAM</code></p>\n");
	put_how(out,
		"Sorted by what could be gained: the cost of a cache line that threads take from each other, "
		"and the time that threads wait for each other, in percent of the run or of thread time. "
		"Intervals are what is not known.",
		p->sharing ? "conflicts" : "waits", p->sharing ? p->sharing->run->path : p->times->run->path);
	strbuf_puts(out, "</section>\n<section id=\"do\" aria-labelledby=\"h-do\"><h2 id=\"h-do\">What do I "
			 "do?</h2>\n<ol>\n");
	for (size_t i = 0; i < n; i++)
		put_advice(&f.at[i], out);
	strbuf_puts(out, "</ol>\n");
	if (!n)
		strbuf_puts(out, "<p>Nothing: no finding asks for a change.</p>\n");
	strbuf_puts(out, "</section>\n");
	page_findings_release(&f);
}

static void put_changes(const struct page_parts *p, struct strbuf *out)
{
	strbuf_puts(out, "<section id=\"changed\" aria-labelledby=\"h-changed\"><h2 id=\"h-changed\">What "
			 "changed?</h2>\n");
	if (p->changes) {
		diff_html(p->changes, false, CHANGES_SHOWN, out);
		put_how(out,
			"Rows are matched by call site, function or object, not by line; a difference is "
			"shown "
			"where it is beyond what recordings of one build differ by.",
			"diff", p->changes->base->recordings.at[0].name);
	} else {
		strbuf_puts(out, "<p>No baseline was given: <code>perseus report --html=FILE --compare=RUN"
				 "</code></p>\n");
	}
	strbuf_puts(out, "</section>\n");
}

void page_first(const struct page_parts *p, struct strbuf *out)
{
	const struct run *run = p->times->run;

	strbuf_puts(out, "<header><h1>");
	html_text(out, fs_base_name(run->manifest.program ? run->manifest.program : run->path));
	strbuf_puts(out, "</h1>");
	if (run->manifest.trial)
		strbuf_printf(out,
			      "<p>A trial of plan %.12s..: placed by its probes, not a flight build.</p>",
			      run->manifest.trial);
	strbuf_puts(out, "</header>\n<main id=\"tab-summary\" class=\"first\">\n");
	put_trust(p, out);
	put_time(p, out);
	put_findings(p, out);
	put_changes(p, out);
	strbuf_puts(out, "</main>\n");
}
