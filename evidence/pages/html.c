/* SPDX-License-Identifier: MIT */
/*
 * trace.html: the trace matrix to click through, in both directions.  One
 * file, no script, nothing fetched; meaning is never carried by colour alone.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/view/text.h"
#include "evidence/pages/pages.h"
#include "lib/html/html.h"
#include "lib/search.h"

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	"'unsafe-inline'\">\n"
	"<title>Trace matrix</title>\n<style>\n"
	"body { font: 15px/1.5 sans-serif; margin: 2em; color: #111; background: #fff; }\n"
	"table { border-collapse: collapse; margin: 1em 0; }\n"
	"th, td { border: 1px solid #777; padding: 0.25em 0.6em; text-align: left; vertical-align: top; }\n"
	"th { background: #eee; }\n"
	"td { overflow-wrap: anywhere; }\n"
	"code { font: 13px/1.4 monospace; white-space: pre-wrap; }\n"
	"a { color: #0050a0; text-decoration: underline; }\n"
	":target { outline: 3px solid #111; }\n"
	".none { border-left: 4px double #111; }\n"
	"</style>\n</head>\n<body>\n";

static void html_cell(struct strbuf *out, const char *s)
{
	strbuf_puts(out, *s ? "<td>" : "<td class=\"none\">none");
	html_text(out, s);
	strbuf_puts(out, "</td>");
}

static void anchor(struct strbuf *out, const char *prefix, size_t number, const char *text)
{
	strbuf_printf(out, "<a href=\"#%s%zu\">", prefix, number);
	html_text(out, text);
	strbuf_puts(out, "</a>");
}

static void begin_row(struct strbuf *out, const char *prefix, size_t number, const char *text)
{
	strbuf_printf(out, "<tr id=\"%s%zu\"><th scope=\"row\">", prefix, number);
	html_text(out, text);
	strbuf_puts(out, "</th>");
}

static void table(struct strbuf *out, const char *id, const char *title, const char *columns)
{
	strbuf_printf(out, "<h2 id=\"%s\">%s</h2>\n<table>\n<thead><tr>", id, title);
	for (const char *s = columns; *s;) {
		size_t n = strcspn(s, "|");

		strbuf_printf(out, "<th scope=\"col\">%.*s</th>", (int)n, s);
		s += n + (s[n] == '|');
	}
	strbuf_puts(out, "</tr></thead>\n<tbody>\n");
}

static void end_table(struct strbuf *out)
{
	strbuf_puts(out, "</tbody>\n</table>\n");
}

/* ---- findings: every one that an item rests on ---- */

/* All findings with the items that rest on them, by name; equal names stand together. */
static struct match_list findings(const struct evidence *p)
{
	struct match_list all = VEC_INIT;

	for (uint32_t i = 0; i < p->items.n; i++)
		for (size_t k = 0; k < p->items.at[i].findings.n; k++)
			match_add(&all, mem_strdup(p->items.at[i].findings.at[k]), i);
	match_sort(&all);
	return all;
}

/* The number of finding @name: the place of its first entry. */
static size_t finding_number(const struct match_list *all, const char *name)
{
	return search_first(all->n, i, strcmp(all->at[i].key, name) < 0);
}

static void findings_table(const struct evidence *p, struct strbuf *out, const struct match_list *all)
{
	table(out, "findings", "Findings", "finding|plan items that rest on it");
	for (size_t i = 0; i < all->n; i++) {
		bool first = !i || strcmp(all->at[i].key, all->at[i - 1].key);

		if (first) {
			begin_row(out, "f", i, all->at[i].key);
			strbuf_puts(out, "<td>");
		} else {
			strbuf_puts(out, "<br>");
		}
		anchor(out, "i", all->at[i].index, p->items.at[all->at[i].index].id);
		if (i + 1 == all->n || strcmp(all->at[i].key, all->at[i + 1].key))
			strbuf_puts(out, "</td></tr>\n");
	}
	end_table(out);
}

/* ---- items ---- */

static size_t derived_of(const struct evidence *p, uint32_t item)
{
	size_t i = 0;

	while (i < p->derived.n && p->derived.at[i].item != item)
		i++;
	return i;
}

static void item_links(const struct evidence *p, struct strbuf *out, uint32_t i, const struct match_list *all)
{
	const struct evidence_item *it = &p->items.at[i];
	size_t d = derived_of(p, i);

	strbuf_puts(out, it->findings.n ? "<td>" : "<td class=\"none\">none");
	for (size_t k = 0; k < it->findings.n; k++) {
		strbuf_puts(out, k ? "<br>" : "");
		anchor(out, "f", finding_number(all, it->findings.at[k]), it->findings.at[k]);
	}
	strbuf_puts(out, it->requirements.n ? "</td><td>" : "</td><td class=\"none\">none");
	for (size_t k = 0; k < it->requirements.n; k++) {
		strbuf_puts(out, k ? "<br>" : "");
		anchor(out, "r", it->requirements.at[k], p->requirements.at[it->requirements.at[k]].id);
	}
	strbuf_puts(out, d < p->derived.n ? "</td><td>" : "</td><td class=\"none\">none");
	if (d < p->derived.n)
		anchor(out, "d", d, p->derived.at[d].id);
	strbuf_puts(out, "</td>");
}

static void generated_cell(const struct evidence *p, struct strbuf *out, const struct evidence_item *it)
{
	const struct outline_function *f = outline_find(&p->outline, it->function);

	if (it->kind == ITEM_LAYOUT) {
		strbuf_puts(out, "<td>");
		html_text(out, it->function);
		strbuf_printf(out, it->line ? ", line %u</td>" : "none</td>", it->line);
		return;
	}
	strbuf_puts(out, "<td>");
	if (f)
		anchor(out, "g", (size_t)(f - p->outline.functions.at), it->function);
	else
		html_text(out, it->function);
	strbuf_puts(out, ", ");
	strbuf_printf(out, "<a href=\"#l%u\">line %u</a></td>", it->line, it->line);
}

static void built_cell(const struct evidence *p, struct strbuf *out, uint32_t item)
{
	const char *symbol;
	uint64_t address;
	bool any = false;

	strbuf_puts(out, "<td>");
	for (size_t i = 0; i < p->objects.n; i++) {
		if (!object_address(p, &p->objects.at[i], item, &address, &symbol))
			continue;
		strbuf_puts(out, any ? "<br>" : "");
		anchor(out, "o", i, p->objects.at[i].name);
		strbuf_printf(out, " 0x%" PRIx64 " ", address);
		html_text(out, symbol);
		any = true;
	}
	strbuf_puts(out, any ? "</td>" : "none</td>");
}

static void place_cell(const struct evidence *p, struct strbuf *out, const struct evidence_item *it)
{
	const struct plan_site *s = it->site < p->in->plan->n_sites ? &p->in->plan->sites[it->site] : NULL;

	if (!s) {
		html_cell(out, "");
		return;
	}
	strbuf_puts(out, "<td>");
	html_text(out, s->callee);
	strbuf_puts(out, " in ");
	html_text(out, s->function);
	strbuf_puts(out, ", ");
	html_text(out, s->file && *s->file ? s->file : s->unit);
	strbuf_printf(out, ":%u</td>", s->line);
}

static void items_table(const struct evidence *p, struct strbuf *out, const struct match_list *all)
{
	table(out, "items", "Plan items",
	      "plan item|finding|requirement|derived requirement|thread|point|settings|source|generated|"
	      "built|reason");
	for (uint32_t i = 0; i < p->items.n; i++) {
		const struct evidence_item *it = &p->items.at[i];

		begin_row(out, "i", i, it->id);
		item_links(p, out, i, all);
		html_cell(out, it->thread);
		html_cell(out, it->point);
		html_cell(out, it->settings);
		place_cell(p, out, it);
		generated_cell(p, out, it);
		built_cell(p, out, i);
		html_cell(out, it->reason ? it->reason : "");
		strbuf_puts(out, "</tr>\n");
	}
	end_table(out);
}

/* ---- back: requirements, derived requirements, functions, addresses ---- */

static void requirements_table(const struct evidence *p, struct strbuf *out)
{
	if (!p->requirements.n)
		return;
	table(out, "requirements", "Requirements", "requirement|text|realised by");
	for (size_t i = 0; i < p->requirements.n; i++) {
		const struct evidence_requirement *r = &p->requirements.at[i];

		begin_row(out, "r", i, r->id);
		html_cell(out, r->text);
		strbuf_puts(out, "<td>");
		for (size_t k = 0; k < r->targets.n; k++) {
			uint32_t at = r->targets.at[k].index;

			strbuf_puts(out, k ? "<br>" : "");
			if (at < p->items.n)
				anchor(out, "i", at, p->items.at[at].id);
			else
				anchor(out, "d", at - p->items.n, p->derived.at[at - p->items.n].id);
		}
		strbuf_puts(out, "</td></tr>\n");
	}
	end_table(out);
}

static void derived_table(const struct evidence *p, struct strbuf *out)
{
	table(out, "derived", "Derived requirements", "derived requirement|text|rationale|realised by");
	for (size_t i = 0; i < p->derived.n; i++) {
		const struct evidence_derived *d = &p->derived.at[i];

		begin_row(out, "d", i, d->id);
		html_cell(out, d->text);
		html_cell(out, d->why);
		strbuf_puts(out, "<td>");
		if (d->item != PLAN_NONE)
			anchor(out, "i", d->item, p->items.at[d->item].id);
		for (size_t k = 0; d->item == PLAN_NONE && k < d->functions.n; k++) {
			const struct outline_function *f = outline_find(&p->outline, d->functions.at[k]);

			strbuf_puts(out, k ? "<br>" : "");
			if (f)
				anchor(out, "g", (size_t)(f - p->outline.functions.at), f->name);
		}
		strbuf_puts(out, "</td></tr>\n");
	}
	end_table(out);
}

static void functions_table(const struct evidence *p, struct strbuf *out)
{
	table(out, "functions", "Generated functions", "function|file|lines|traces to|built");
	for (size_t i = 0; i < p->outline.functions.n; i++) {
		const struct outline_function *f = &p->outline.functions.at[i];
		uint64_t address, size;
		bool any = false;

		begin_row(out, "g", i, f->name);
		html_cell(out, f->file);
		strbuf_printf(out, "<td>%u to %u</td><td>", f->first, f->last);
		if (p->owner[i] != PLAN_NONE)
			anchor(out, "d", p->owner[i], p->derived.at[p->owner[i]].id);
		strbuf_puts(out, "</td><td>");
		for (size_t k = 0; k < p->objects.n; k++)
			if (object_symbol(&p->objects.at[k], f->name, &address, &size)) {
				strbuf_puts(out, any ? "<br>" : "");
				anchor(out, "o", k, p->objects.at[k].name);
				strbuf_printf(out, " 0x%" PRIx64 ", %" PRIu64 " bytes", address, size);
				any = true;
			}
		strbuf_puts(out, any ? "</td></tr>\n" : "no symbol of its own</td></tr>\n");
	}
	end_table(out);
}

static void addresses_table(const struct evidence *p, struct strbuf *out)
{
	if (!p->objects.n)
		return;
	table(out, "built", "Built files", "file|addresses of generated functions");
	for (size_t i = 0; i < p->objects.n; i++) {
		const struct evidence_object *o = &p->objects.at[i];

		begin_row(out, "o", i, o->name);
		strbuf_puts(out, "<td>");
		for (size_t k = 0; k < o->symbols.n; k++) {
			const struct outline_function *f = outline_find(&p->outline, o->symbols.at[k].name);

			strbuf_printf(out, "%s0x%" PRIx64 " ", k ? "<br>" : "", o->symbols.at[k].address);
			if (f)
				anchor(out, "g", (size_t)(f - p->outline.functions.at), f->name);
			else
				html_text(out, o->symbols.at[k].name);
		}
		strbuf_puts(out, "</td></tr>\n");
	}
	end_table(out);
}

/* The trigger source itself, each line with its number: the last link of the chain. */
static void source(const struct evidence *p, struct strbuf *out)
{
	const char *text = evidence_generated(p, "perseus_triggers.c");

	strbuf_puts(out, "<h2 id=\"source\">perseus_triggers.c</h2>\n<table>\n<tbody>\n");
	for (uint32_t line = 1; text && *text; line++) {
		size_t n = strcspn(text, "\n");
		char *one = mem_strndup(text, n);

		for (char *c = one; *c; c++)
			*c = *c == '\t' ? ' ' : *c;
		strbuf_printf(out, "<tr id=\"l%u\"><th scope=\"row\">%u</th><td><code>", line, line);
		for (size_t k = 0; text[k] == '\t'; k++)
			strbuf_puts(out, "   ");
		html_text(out, one);
		strbuf_puts(out, "</code></td></tr>\n");
		free(one);
		text += n + (text[n] == '\n');
	}
	strbuf_puts(out, "</tbody>\n</table>\n");
}

void trace_html(const struct evidence *p, struct strbuf *out)
{
	struct match_list all = findings(p);

	strbuf_puts(out, head);
	strbuf_puts(out, "<h1>Trace matrix of ");
	html_text(out, p->in->plan->program);
	strbuf_puts(
		out,
		"</h1>\n<p>finding &#8596; plan item &#8596; requirement &#8596; generated function &#8596; "
		"source line &#8596; address. Each word that is underlined leads on; trace.csv holds the "
		"same. <a href=\"#findings\">Findings</a>, <a href=\"#items\">plan items</a>, ");
	strbuf_puts(out, p->requirements.n ? "<a href=\"#requirements\">requirements</a>, "
					   : "no requirements were given, ");
	strbuf_puts(out, "<a href=\"#derived\">derived requirements</a>, <a href=\"#functions\">generated "
			 "functions</a>, ");
	strbuf_puts(out, p->objects.n ? "<a href=\"#built\">built files</a>, " : "no built file was given, ");
	strbuf_puts(out, "<a href=\"#source\">perseus_triggers.c</a>.</p>\n");
	findings_table(p, out, &all);
	items_table(p, out, &all);
	requirements_table(p, out);
	derived_table(p, out);
	functions_table(p, out);
	addresses_table(p, out);
	source(p, out);
	strbuf_puts(out, "</body>\n</html>\n");
	match_release(&all);
}
