/* SPDX-License-Identifier: MIT */
/* A diff in a page, and as one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/html/frame.h"
#include "lib/html/html.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "report/diff/parts.h"

#define SHOWN_MAX 2000u

static void put_cell(struct strbuf *out, const char *class, const char *text)
{
	strbuf_printf(out, class ? "<td class=\"%s\">" : "<td>", class);
	html_text(out, text);
	strbuf_puts(out, "</td>");
}

static void put_value(const struct diff *d, const struct diff_figures *f, struct strbuf *out)
{
	char text[32];

	put_cell(out, "n", f->seen ? diff_value(d, f->value, text, sizeof(text)) : "-");
}

/* The interval of a difference as a bar round zero, which is in the middle. */
static void put_bar(const struct diff_percent *p, double widest, struct strbuf *out)
{
	double scale = widest > 0 ? 48 / widest : 0;
	double low = 50 + scale * p->low, high = 50 + scale * p->high;

	low = low < 1 ? 1 : low;
	high = high > 99 ? 99 : high;
	strbuf_printf(
		out,
		"<td><svg class=\"bar\" viewBox=\"0 0 100 6\" preserveAspectRatio=\"none\" role=\"img\" "
		"aria-label=\"%+.1f %%, %+.1f to %+.1f %%\"><rect class=\"none\" width=\"100\" height=\"6\"/>"
		"<rect class=\"%s\" x=\"%.2f\" width=\"%.2f\" height=\"6\"/>"
		"<rect class=\"zero\" x=\"49.7\" width=\"0.6\" height=\"6\"/></svg></td>",
		p->estimate, p->low, p->high, p->estimate > 0 ? "wait" : "own", low,
		high > low ? high - low : 0.5);
}

static void put_row(const struct diff *d, const struct diff_row *r, double widest, struct strbuf *out)
{
	struct diff_percent p = diff_percent(r);
	struct strbuf place = STRBUF_INIT;
	char text[64];

	if (r->file)
		strbuf_printf(&place, "%s:%u", fs_base_name(r->file), r->line);
	strbuf_puts(out, "<tr>");
	put_cell(out, NULL, diff_word(r));
	strbuf_puts(out, "<td class=\"name\">");
	if (r->within) {
		html_text(out, r->within);
		strbuf_puts(out, " &#8594; ");
	}
	html_text(out, r->name);
	if (r->was)
		html_text(out, r->kind == DIFF_SITE ? " (moved)" : " (renamed)");
	strbuf_puts(out, "</td>");
	put_cell(out, "place", place.s);
	put_value(d, &r->base, out);
	put_value(d, &r->new, out);
	if (isfinite(p.estimate) && isfinite(p.low) && isfinite(p.high) && r->base.seen && r->new.seen) {
		snprintf(text, sizeof(text), "%+.1f %% (%+.1f to %+.1f)", p.estimate, p.low, p.high);
		put_cell(out, "n", text);
		put_bar(&p, widest, out);
	} else {
		strbuf_puts(out, "<td></td><td></td>");
	}
	strbuf_puts(out, "</tr>\n");
	strbuf_release(&place);
}

/* The end of the widest interval that is shown, percent; no more than tenfold. */
static double widest_of(const struct diff *d, bool all, size_t most)
{
	double widest = 1;
	size_t n = 0;

	for (size_t i = 0; i < d->rows.n && n < most; i++) {
		struct diff_percent p = diff_percent(&d->rows.at[i]);

		if (!diff_shown(&d->rows.at[i], all) || !isfinite(p.low) || !isfinite(p.high))
			continue;
		widest = fmax(widest, fmin(1000, fmax(fabs(p.low), fabs(p.high))));
		n++;
	}
	return widest;
}

/* Wrapped text as paragraphs; a line that is indented, or any but the first if @one, goes on with the one before. */
static void put_paragraphs(const char *text, bool one, struct strbuf *out)
{
	bool open = false;

	while (text && *text) {
		size_t n = strcspn(text, "\n"), indent = strspn(text, " ");
		char *line = mem_strndup(text + indent, n - indent);

		strbuf_puts(out, open && (indent || one) ? " " : open ? "</p>\n<p>" : "<p>");
		html_text(out, line);
		free(line);
		open = true;
		text += n + (text[n] == '\n');
	}
	if (open)
		strbuf_puts(out, "</p>\n");
}

void diff_html(const struct diff *d, bool all, size_t most, struct strbuf *out)
{
	struct strbuf cautions = STRBUF_INIT, limits = STRBUF_INIT;
	struct strbuf answer = STRBUF_INIT;
	double widest = widest_of(d, all, most);
	size_t n = 0;

	diff_answer(d, &answer);
	for (char *s = answer.s; *s; s++)
		*s = *s == '\n' ? ' ' : *s;
	strbuf_puts(out, "<p><strong>");
	html_text(out, answer.s);
	strbuf_puts(out, "</strong></p>\n");
	strbuf_release(&answer);
	diff_cautions(d, &cautions);
	put_paragraphs(cautions.s, false, out);
	strbuf_release(&cautions);
	for (size_t i = 0; i < d->rows.n; i++) {
		if (!diff_shown(&d->rows.at[i], all) || n++ >= most)
			continue;
		if (n == 1)
			strbuf_puts(
				out,
				"<table><tr><th scope=\"col\"></th><th scope=\"col\">name</th><th "
				"scope=\"col\">"
				"place</th><th scope=\"col\" class=\"n\">base</th><th scope=\"col\" "
				"class=\"n\">new"
				"</th><th scope=\"col\" class=\"n\">difference, 95 %</th><th scope=\"col\" "
				"class=\"wide\"></th></tr>\n");
		put_row(d, &d->rows.at[i], widest, out);
	}
	if (n)
		strbuf_puts(out, "</table>\n");
	if (n > most)
		strbuf_printf(out, "<p>%zu more rows are not shown here.</p>\n", n - most);
	diff_limits(d, &limits);
	put_paragraphs(limits.s, true, out);
	strbuf_release(&limits);
}

static void put_sides(const struct diff *d, struct strbuf *out)
{
	const struct diff_side *sides[] = {d->base, d->new};
	struct strbuf whole = STRBUF_INIT;

	for (int i = 0; i < 2; i++) {
		strbuf_puts(out, i ? "<br>new: " : "<p>base: ");
		for (size_t k = 0; k < sides[i]->recordings.n; k++) {
			strbuf_puts(out, k ? ", <code>" : "<code>");
			html_text(out, sides[i]->recordings.at[k].name);
			strbuf_puts(out, "</code>");
		}
	}
	if (!d->sharing) {
		diff_whole(d, &whole);
		strbuf_puts(out, "<br>thread time: ");
		html_text(out, whole.s);
		strbuf_release(&whole);
	}
	strbuf_puts(out, "</p>\n");
}

void diff_page(const struct diff *d, bool all, struct strbuf *out)
{
	const struct html_frame frame = {.title = "diff"};
	struct strbuf json = STRBUF_INIT;

	html_frame_begin(&frame, out);
	strbuf_puts(out, "<header><h1>");
	html_text(out, d->new->recordings.at[0].program ? fs_base_name(d->new->recordings.at[0].program)
							: "program");
	strbuf_puts(out, "</h1></header>\n<main id=\"tab-summary\">\n<section><h2>What changed?</h2>\n");
	put_sides(d, out);
	diff_html(d, all, SHOWN_MAX, out);
	strbuf_puts(out, "<details class=\"how\"><summary>How was this computed?</summary><p>Rows are "
			 "matched by call site, "
			 "function or object, not by line. A difference is shown where it is beyond what "
			 "recordings of "
			 "one build differ by, with the chance of one false row in the whole table at most ");
	strbuf_printf(out, "%.0f %%", 100 * DIFF_FAMILY);
	strbuf_puts(out, ".</p></details></section></main>\n<script type=\"application/json\" id=\"diff\">");
	diff_json(d, true, &json);
	html_json(out, json.s);
	strbuf_release(&json);
	strbuf_puts(out, "</script>\n");
	html_frame_end(&frame, out);
}
