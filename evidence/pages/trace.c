/* SPDX-License-Identifier: MIT */
/* The trace matrix as CSV, and what is missing in it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/pages/pages.h"

static void source_place(struct strbuf *out, const struct evidence *p, const struct evidence_item *it)
{
	const struct plan_site *s = it->site < p->in->plan->n_sites ? &p->in->plan->sites[it->site] : NULL;
	char line[16] = "";

	if (s)
		snprintf(line, sizeof(line), "%u", s->line);
	csv_put(out, s ? s->id : "");
	csv_put(out, s ? s->callee : "");
	csv_put(out, s ? s->function : "");
	csv_put(out, s ? (s->file && *s->file ? s->file : s->unit) : "");
	csv_put(out, line);
}

/* One row: item by one of its findings and one of its requirements, in one built file. */
static void row(struct strbuf *out, const struct evidence *p, uint32_t item, const char *finding,
		const struct evidence_requirement *r, const struct evidence_object *o)
{
	const struct evidence_item *it = &p->items.at[item];
	char text[32] = "";
	const char *symbol = "";
	uint64_t address;

	csv_put(out, finding);
	csv_put(out, it->id);
	csv_put(out, it->place);
	csv_put(out, r ? r->id : "");
	derived_name(it, text, sizeof(text));
	csv_put(out, it->sets ? text : "");
	csv_put(out, it->thread);
	csv_put(out, it->point);
	csv_put(out, it->settings);
	source_place(out, p, it);
	csv_put(out, it->function);
	snprintf(text, sizeof(text), "%u", it->line);
	csv_put(out, it->line ? text : "");
	text[0] = '\0';
	if (o && object_address(p, o, item, &address, &symbol))
		snprintf(text, sizeof(text), "0x%" PRIx64, address);
	csv_put(out, o ? o->name : "");
	csv_put(out, symbol);
	csv_end(out, text);
}

/* Rows of one pair of finding and requirement: one for each built file that has the item. */
static void rows(struct strbuf *out, const struct evidence *p, uint32_t item, const char *finding,
		 const struct evidence_requirement *r)
{
	const char *symbol;
	uint64_t address;
	bool any = false;

	for (size_t i = 0; i < p->objects.n; i++)
		if (object_address(p, &p->objects.at[i], item, &address, &symbol)) {
			row(out, p, item, finding, r, &p->objects.at[i]);
			any = true;
		}
	if (!any)
		row(out, p, item, finding, r, NULL);
}

void trace_csv(const struct evidence *p, struct strbuf *out)
{
	strbuf_puts(
		out,
		"finding,plan item,place in the plan,requirement,derived requirement,thread,point,settings,"
		"site,callee,function,file,line,generated function,line of perseus_triggers.c,built file,"
		"symbol,address\n");
	for (uint32_t i = 0; i < p->items.n; i++) {
		const struct evidence_item *it = &p->items.at[i];

		/* An item without finding or requirement has a row, too: it is seen that there is none. */
		for (size_t f = 0; f < it->findings.n || !f; f++)
			for (size_t r = 0; r < it->requirements.n || !r; r++)
				rows(out, p, i, f < it->findings.n ? it->findings.at[f] : "",
				     r < it->requirements.n ? &p->requirements.at[it->requirements.at[r]]
							    : NULL);
	}
}

/* ---- completeness ---- */

static void untraced(struct evidence *p, struct strbuf *what)
{
	vec_push(&p->untraced, strbuf_detach(what));
}

/* The line must be inside of the function, or be a row of the table of threads. */
static bool line_fits(const struct evidence *p, const struct evidence_item *it)
{
	const struct outline_function *f = outline_find(&p->outline, it->function);
	const char *text = evidence_generated(p, "perseus_triggers.c"), *table;

	if (f)
		return it->line > f->first && it->line < f->last;
	table = text ? strstr(text, it->function) : NULL;
	for (uint32_t line = 1; text && *text && line < it->line; text++)
		line += *text == '\n';
	return table && text && table < text && *text;
}

static void check_layout(struct evidence *p, const struct evidence_item *it)
{
	struct strbuf what = STRBUF_INIT;

	if (p->requirements.n && !it->requirements.n) {
		strbuf_printf(&what, "%s (%s) has no requirement", it->id, it->settings);
		untraced(p, &what);
	}
	if (!layout_asserted(p, it)) {
		strbuf_printf(&what, "%s: %s does not assert it", it->id, LAYOUTS_HEADER);
		untraced(p, &what);
	}
}

static void check_item(struct evidence *p, uint32_t i)
{
	const struct evidence_item *it = &p->items.at[i];
	struct strbuf what = STRBUF_INIT;
	const char *symbol;
	uint64_t address;
	bool built = false;

	if (it->kind == ITEM_LAYOUT)
		check_layout(p, it);
	if (!it->sets || it->kind == ITEM_LAYOUT)
		return;
	if (p->requirements.n && !it->requirements.n) {
		strbuf_printf(&what, "%s (%s of %s) has no requirement", it->id, it->settings, it->thread);
		untraced(p, &what);
	}
	if (!line_fits(p, it)) {
		strbuf_printf(&what, "%s: line %u is not in %s", it->id, it->line, it->function);
		untraced(p, &what);
	}
	for (size_t k = 0; k < p->objects.n; k++) {
		bool here = object_address(p, &p->objects.at[k], i, &address, &symbol);

		built |= here;
		if (p->objects.at[k].is_binary && !here) {
			strbuf_printf(&what, "%s: %s is not in '%s'", it->id, it->function,
				      p->objects.at[k].given);
			untraced(p, &what);
		}
	}
	if (p->objects.n && !built && !p->objects.at[0].is_binary) {
		strbuf_printf(&what, "%s: %s is in none of the objects", it->id, it->function);
		untraced(p, &what);
	}
}

bool evidence_traced(struct evidence *p)
{
	for (uint32_t i = 0; i < p->items.n; i++)
		check_item(p, i);
	for (size_t i = 0; i < p->outline.functions.n; i++) {
		const struct outline_function *f = &p->outline.functions.at[i];
		struct strbuf what = STRBUF_INIT;

		if (p->owner[i] != PLAN_NONE)
			continue;
		strbuf_printf(&what, "function %s (%s:%u) has no derived requirement", f->name, f->file,
			      f->first);
		untraced(p, &what);
	}
	return !p->untraced.n;
}
