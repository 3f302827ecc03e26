/* SPDX-License-Identifier: MIT */
/* A proof as a page: what one attaches to a pull request or to the papers of a release. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/prove/prove.h"
#include "lib/fs.h"
#include "lib/html/frame.h"
#include "lib/html/html.h"
#include "lib/mem.h"
#include "lib/num.h"

#define WIDE     700.0
#define HIGH     150.0
#define TEXT_MAX 200000u /* bytes of an attached file that the page shows */

static void __attribute__((format(printf, 2, 0)))
prove_page_vput(struct strbuf *out, const char *fmt, va_list ap)
{
	char *text = mem_vprintf(fmt, ap);

	html_text(out, text);
	free(text);
}

static void __attribute__((format(printf, 2, 3))) prove_page_put(struct strbuf *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	prove_page_vput(out, fmt, ap);
	va_end(ap);
}

static void begin_section(struct strbuf *out, const char *title)
{
	strbuf_puts(out, "<section><h2>");
	html_text(out, title);
	strbuf_puts(out, "</h2>\n");
}

/* The ratios of all pairs, and what the picture of them spans. */
struct picture {
	const double *a, *b;
	unsigned n;
	double low, high;
};

static double ratio(const struct picture *p, unsigned i)
{
	return p->a[i] > 0 ? p->b[i] / p->a[i] : 1;
}

static double across(const struct picture *p, double v)
{
	return 10 + (WIDE - 20) * (v - p->low) / (p->high - p->low);
}

static void span(struct picture *p, const struct paired_interval *i, double expect)
{
	double pad;

	p->low = i->low < expect ? i->low : expect;
	p->high = i->high > expect ? i->high : expect;
	for (unsigned k = 0; k < p->n; k++) {
		double r = ratio(p, k);

		p->low = r < p->low ? r : p->low;
		p->high = r > p->high ? r : p->high;
	}
	pad = p->high > p->low ? 0.05 * (p->high - p->low) : 0.05;
	p->low -= pad;
	p->high += pad;
}

static void put_mark(struct strbuf *out, const struct picture *p, double v, const char *class,
		     const char *text)
{
	double x = across(p, v);

	strbuf_printf(out, "<line class=\"series %s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"16\" y2=\"%.0f\"%s/>",
		      class, x, x, HIGH - 18, strcmp(class, "s1") ? "" : " stroke-dasharray=\"6 3\"");
	if (x > WIDE - 100)
		x -= 6;
	strbuf_printf(out, "<text class=\"axis%s\" x=\"%.1f\" y=\"%.0f\">%s %.3f</text>",
		      x > WIDE - 110 ? " end" : "", x + 3, strcmp(class, "s1") ? HIGH - 4 : 12.0, text, v);
}

/* A dot for each pair, from left to right by its ratio, from top to bottom by time. */
static void put_picture(struct strbuf *out, const struct prove_finding *f, const struct trial *t,
			const struct prove_opts *o)
{
	struct picture p = {t->side[0].seconds, t->side[1].seconds, t->done, 0, 0};

	span(&p, &f->time, o->expect);
	strbuf_printf(
		out,
		"<figure><figcaption>Ratios of run times, a dot for each pair, the first on top</figcaption>"
		"<svg class=\"chart\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"%u pairs, median "
		"%.3f, "
		"interval %.3f to %.3f\">",
		WIDE, HIGH, t->done, f->time.estimate, f->time.low, f->time.high);
	strbuf_printf(out, "<rect class=\"band\" x=\"%.1f\" y=\"16\" width=\"%.1f\" height=\"%.0f\"/>",
		      across(&p, f->time.low), across(&p, f->time.high) - across(&p, f->time.low), HIGH - 34);
	put_mark(out, &p, f->time.estimate, "s0", "median");
	put_mark(out, &p, o->expect, "s1", "limit");
	for (unsigned i = 0; i < t->done; i++)
		strbuf_printf(out, "<circle class=\"dot\" r=\"3\" cx=\"%.1f\" cy=\"%.1f\"/>",
			      across(&p, ratio(&p, i)), 22 + (HIGH - 46) * (i + 0.5) / t->done);
	strbuf_puts(out, "</svg></figure>\n");
}

static void put_row(struct strbuf *out, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void put_row(struct strbuf *out, const char *name, const char *fmt, ...)
{
	va_list ap;

	strbuf_puts(out, "<tr><th scope=\"row\">");
	html_text(out, name);
	strbuf_puts(out, "</th><td>");
	va_start(ap, fmt);
	prove_page_vput(out, fmt, ap);
	va_end(ap);
	strbuf_puts(out, "</td></tr>\n");
}

static void put_verdict(struct strbuf *out, const struct prove_finding *f, const struct trial *t,
			const struct prove_opts *o)
{
	const char *word = prove_verdict(f);

	strbuf_puts(out, "<section><h2>Is it faster? ");
	strbuf_printf(out, "<strong class=\"word %s\">%s</strong></h2>\n<p>",
		      f->verdict == PAIRED_BELOW   ? "good"
		      : f->verdict == PAIRED_ABOVE ? "limited"
						   : "none",
		      word);
	prove_page_put(out, "%s takes %.3f of the time of %s (95 %% interval %.3f to %.3f, %u pairs).", o->b,
		       f->time.estimate, o->a, f->time.low, f->time.high, t->done);
	if (f->loaded)
		html_text(out, " The machine was not quiet, so nothing is concluded.");
	if (f->uneven)
		html_text(out, " The cores did not run at an equal pace, so nothing is concluded.");
	if (o->ignore_output)
		html_text(out, " What the programs print was not compared.");
	else
		html_text(out, " Both print the same.");
	strbuf_puts(out, "</p>\n");
	put_picture(out, f, t, o);
	strbuf_puts(out, "<details class=\"how\"><summary>How was this computed?</summary><p>The median of "
			 "the ratios, "
			 "with the percentile interval of 10,000 bootstrap samples of whole pairs; the "
			 "number of pairs "
			 "was fixed beforehand, the order within a pair is random.</p><p><code>");
	html_text(out, o->command);
	strbuf_puts(out, "</code></p></details></section>\n");
}

static void put_machine(struct strbuf *out, const struct prove_finding *f, const struct trial *t)
{
	const struct machine *m = &f->machine;

	begin_section(out, "The machine");
	strbuf_puts(out, "<table>");
	put_row(out, "processor", "%s, %u cores used", m->cpu[0] ? m->cpu : "not known", m->cores);
	put_row(out, "used by others", "%.1f %%", 100 * t->foreign);
	put_row(out, "taken by the host", "%.1f %%", 100 * t->stolen);
	if (t->pace.looks)
		put_row(out, "cores even within", "%.1f %%", 100 * (f->pace.ratio - 1));
	put_row(out, "frequency governor", "%s", m->governor[0] ? m->governor : "none");
	if (f->instructions > 0)
		put_row(out, "instructions", "%+.1f %%", 100 * (f->instructions - 1));
	strbuf_puts(out, "</table></section>\n");
}

/* The name, size and hash of @path, and its bytes in @text, which the caller releases. */
static int put_file(struct strbuf *out, const char *what, const char *path, struct strbuf *text,
		    struct err *err)
{
	char hash[SHA256_HEX];
	int ret = fs_read(path, 0, text, err);

	if (ret)
		return ret;
	sha256_of(text->s ? text->s : "", text->len, hash);
	put_row(out, what, "%s, %zu bytes, SHA-256 %s", path, text->len, hash);
	return 0;
}

/* The text of an attached file, where it is one. */
static void put_text(struct strbuf *out, const char *path, const struct strbuf *text)
{
	char *line;

	if (text->len > TEXT_MAX || memchr(text->s ? text->s : "", 0, text->len))
		return;
	strbuf_puts(out, "<details><summary>");
	html_text(out, path);
	strbuf_puts(out, "</summary><pre>");
	for (const char *s = text->s; s && *s;) {
		size_t n = strcspn(s, "\n");

		line = mem_strndup(s, n);
		for (char *c = line; *c; c++)
			*c = *c == '\t' ? ' ' : *c;
		html_text(out, line);
		strbuf_puts(out, "\n");
		free(line);
		s += n + (s[n] == '\n');
	}
	strbuf_puts(out, "</pre></details>\n");
}

static int put_files(struct strbuf *out, const struct trial *t, const struct prove_opts *o, struct err *err)
{
	static const char *const sides[TRIAL_SIDES] = {"A", "B", "padded"};
	struct strbuf text = STRBUF_INIT, texts = STRBUF_INIT;
	int ret = 0;

	begin_section(out, "What was measured");
	strbuf_puts(out, "<table>");
	for (unsigned i = 0; i < t->n_sides && !ret; i++) {
		ret = put_file(out, sides[i], t->side[i].path, &text, err);
		strbuf_release(&text);
	}
	for (size_t i = 0; i < o->attached.n && !ret; i++) {
		ret = put_file(out, "attached", o->attached.at[i], &text, err);
		if (!ret)
			put_text(&texts, o->attached.at[i], &text);
		strbuf_release(&text);
	}
	strbuf_puts(out, "</table>\n");
	if (texts.len)
		strbuf_add(out, texts.s, texts.len);
	strbuf_puts(out, "</section>\n");
	strbuf_release(&texts);
	return ret;
}

static void put_pairs(struct strbuf *out, const struct trial *t)
{
	char text[32];

	begin_section(out, "All pairs");
	strbuf_puts(out,
		    "<table><tr><th scope=\"col\">pair</th><th scope=\"col\">A</th><th scope=\"col\">B</th>"
		    "<th scope=\"col\">B / A</th></tr>\n");
	for (unsigned i = 0; i < t->done; i++) {
		double a = t->side[0].seconds[i], b = t->side[1].seconds[i];

		strbuf_printf(out, "<tr><td class=\"n\">%u</td><td class=\"n\">%s</td>", i + 1,
			      num_time(text, sizeof(text), a));
		strbuf_printf(out, "<td class=\"n\">%s</td><td class=\"n\">%.4f</td></tr>\n",
			      num_time(text, sizeof(text), b), a > 0 ? b / a : 0);
	}
	strbuf_puts(out, "</table></section>\n");
}

int prove_page(const struct prove_finding *f, const struct trial *t, const struct prove_opts *o,
	       struct strbuf *out, struct err *err)
{
	const struct html_frame frame = {.title = "proof"};
	struct strbuf json = STRBUF_INIT;
	int ret;

	html_frame_begin(&frame, out);
	strbuf_puts(out, "<header><h1>");
	prove_page_put(out, "%s against %s", fs_base_name(o->b), fs_base_name(o->a));
	strbuf_puts(out, "</h1></header>\n<main id=\"tab-summary\">\n");
	put_verdict(out, f, t, o);
	ret = put_files(out, t, o, err);
	put_machine(out, f, t);
	put_pairs(out, t);
	strbuf_puts(out, "</main>\n<script type=\"application/json\" id=\"proof\">");
	prove_json(f, t, o, &json);
	html_json(out, json.s);
	strbuf_release(&json);
	strbuf_puts(out, "</script>\n");
	html_frame_end(&frame, out);
	return ret;
}
