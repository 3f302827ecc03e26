/* SPDX-License-Identifier: MIT */
/* The tables and pages of the pack that come from the plan and the gates. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/pages/pages.h"
#include "lib/inspect/elf.h"
#include "planner/diff/diff.h"

/* A cell of a table, "| text ". */
static void texts_cell(struct strbuf *out, const char *s)
{
	strbuf_puts(out, "| ");
	md_put(out, s && *s ? s : "-");
	strbuf_puts(out, " ");
}

/* ---- gates, tools ---- */

void gates_csv(const struct evidence *p, struct strbuf *out)
{
	strbuf_puts(out, "gate,verdict,detail,file\n");
	for (size_t i = 0; i < p->gates.n; i++) {
		const struct evidence_gate *g = &p->gates.at[i];

		csv_put(out, g->name);
		csv_put(out, evidence_verdict_name(g->verdict));
		csv_put(out, g->detail);
		csv_end(out, g->file ? g->file : "");
	}
}

void tools_csv(const struct evidence *p, struct strbuf *out)
{
	strbuf_puts(out, "tool,version,flags,used for\n");
	for (size_t i = 0; i < p->tools.n; i++) {
		csv_put(out, p->tools.at[i].name);
		csv_put(out, p->tools.at[i].version);
		csv_put(out, p->tools.at[i].flags);
		csv_end(out, p->tools.at[i].use);
	}
}

/* "GNU C11 12.2.0 -O2 -g" without the folders of absolute paths: they are of one machine. */
static char *without_folders(const char *s)
{
	struct strbuf out = STRBUF_INIT;

	strbuf_puts(&out, "");
	while (*s) {
		size_t word = strcspn(s, " "), path = strcspn(s, "/");

		if (path < word && (!path || strchr("=,IL", s[path - 1]))) {
			size_t last = word;

			while (s[last - 1] != '/')
				last--;
			strbuf_add(&out, s, path);
			s += last;
			word -= last;
		}
		strbuf_add(&out, s, word);
		s += word;
		if (*s)
			strbuf_add(&out, s++, 1);
	}
	return strbuf_detach(&out);
}

/* Strings of @text, which are separated by bytes 0, that begin with @prefix; each once, sorted. */
static void strings(struct evidence *p, const struct evidence_object *o, const struct strbuf *text,
		    const char *prefix, bool flags)
{
	struct match_list found = VEC_INIT;

	for (size_t at = 0; at < text->len; at += strlen(text->s + at) + 1)
		if (text->s[at] && !strncmp(text->s + at, prefix, strlen(prefix)))
			match_add(&found, without_folders(text->s + at), 0);
	match_sort(&found);
	for (size_t i = 0; i < found.n; i++) {
		const char *gap = strstr(found.at[i].key, " -");
		char *version;

		if (i && !strcmp(found.at[i].key, found.at[i - 1].key))
			continue;
		version = flags && gap ? mem_strndup(found.at[i].key, (size_t)(gap - found.at[i].key))
				       : mem_strdup(found.at[i].key);
		evidence_tool(p, flags ? "compiler by the debugging information" : "compiler by .comment",
			      version, flags && gap ? gap + 1 : "", o->name);
		free(version);
	}
	match_release(&found);
}

void built_tools(struct evidence *p)
{
	for (size_t i = 0; i < p->objects.n; i++) {
		const struct evidence_object *o = &p->objects.at[i];
		struct strbuf text = STRBUF_INIT;

		if (!elf_section(o->given, ".comment", &text, NULL))
			strings(p, o, &text, "", false);
		text.len = 0;
		if (!elf_section(o->given, ".debug_str", &text, NULL))
			strings(p, o, &text, "GNU C", true);
		strbuf_release(&text);
	}
}

/* ---- checklist ---- */

static void ids(struct strbuf *out, const struct evidence *p, const struct evidence_item *it)
{
	struct strbuf list = STRBUF_INIT;

	strbuf_puts(&list, "");
	for (size_t i = 0; i < it->requirements.n; i++)
		strbuf_printf(&list, "%s%s", i ? ", " : "", p->requirements.at[it->requirements.at[i]].id);
	texts_cell(out, list.s);
	list.len = 0;
	strbuf_puts(&list, "");
	for (size_t i = 0; i < it->findings.n; i++)
		strbuf_printf(&list, "%s%s", i ? ", " : "", it->findings.at[i]);
	texts_cell(out, list.s);
	strbuf_release(&list);
}

static void source_of(struct strbuf *out, const struct evidence *p, const struct evidence_item *it)
{
	const struct plan_site *s = it->site < p->in->plan->n_sites ? &p->in->plan->sites[it->site] : NULL;
	struct strbuf text = STRBUF_INIT;

	strbuf_puts(&text, "");
	if (s)
		strbuf_printf(&text, "%s in %s, %s:%u", s->callee, s->function,
			      s->file && *s->file ? s->file : s->unit, s->line);
	texts_cell(out, text.s);
	strbuf_release(&text);
}

static const char checklist_head[] =
	"# Review checklist\n\n"
	"One row for each thing that the plan sets; a person fills the last columns (y, n, or a remark).\n\n"
	"1. *reason*: the finding is real and the reason follows from it.\n"
	"2. *place*: the call is the one that was meant, on the right side, on the right visit.\n"
	"3. *value*: the core or step is allowed for this thread on this machine.\n"
	"4. *code*: the generated line does this and nothing else.\n"
	"5. *failure*: the program fulfils its requirements if this setting does not hold.\n\n"
	"| item | thread | point | settings | source | requirements | findings | reason given | generated | "
	"reason | place | value | code | failure | reviewer, date |\n"
	"|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";

void checklist_md(const struct evidence *p, struct strbuf *out)
{
	strbuf_puts(out, checklist_head);
	for (size_t i = 0; i < p->items.n; i++) {
		const struct evidence_item *it = &p->items.at[i];
		char line[32];

		if (!it->sets)
			continue;
		texts_cell(out, it->id);
		texts_cell(out, it->thread);
		texts_cell(out, it->point);
		texts_cell(out, it->settings);
		source_of(out, p, it);
		ids(out, p, it);
		texts_cell(out, it->reason);
		snprintf(line, sizeof(line), ":%u", it->line);
		strbuf_puts(out, "| ");
		md_put(out, it->function);
		md_put(out, line);
		strbuf_puts(out, " |  |  |  |  |  |  |\n");
	}
	strbuf_puts(out,
		    "\nOf the pack as a whole:\n\n"
		    "| question | answer | reviewer, date |\n|---|---|---|\n"
		    "| `sha256sum -c manifest.sha256` says OK for every file |  |  |\n"
		    "| each gate in gates.csv passed, or what did not is accepted |  |  |\n"
		    "| each file in library.csv is reviewed: this SHA-256, now or for another plan |  |  |\n"
		    "| each record in deviations.md is accepted |  |  |\n"
		    "| each derived requirement went to the safety assessment |  |  |\n"
		    "| the binary that flies is the one in the manifest |  |  |\n");
}

/* ---- change impact ---- */

static bool is_item(const struct evidence_item *it, const struct diff_change *c)
{
	if (c->trigger != PLAN_NONE)
		return it->kind == ITEM_TRIGGER && it->number == c->trigger && c->kind != DIFF_DROPPED;
	if (it->kind == ITEM_LAYOUT || it->kind == ITEM_FLUSH)
		return (it->kind == ITEM_LAYOUT ? c->layout : c->flush) == it->index;
	return it->kind != ITEM_TRIGGER && c->thread == it->index;
}

static void impact_row(const struct evidence *p, struct strbuf *out, const struct diff_change *c,
		       bool *touched)
{
	bool any = false;

	for (size_t i = 0; i < p->items.n; i++) {
		const struct evidence_item *it = &p->items.at[i];
		char line[32];

		if (!is_item(it, c))
			continue;
		any = touched[i] = true;
		texts_cell(out, diff_kind_name(c->kind));
		texts_cell(out, c->text);
		texts_cell(out, it->id);
		ids(out, p, it);
		snprintf(line, sizeof(line), ":%u", it->line);
		strbuf_puts(out, "| ");
		md_put(out, it->function);
		md_put(out, line);
		strbuf_puts(out, " |\n");
	}
	if (any)
		return;
	texts_cell(out, diff_kind_name(c->kind));
	texts_cell(out, c->text);
	strbuf_puts(out, "| - | - | - | - |\n");
}

static void impact_rest(const struct evidence *p, struct strbuf *out, const bool *touched)
{
	size_t n = 0, sets = 0;

	for (size_t i = 0; i < p->items.n; i++) {
		sets += p->items.at[i].sets;
		n += p->items.at[i].sets && !touched[i];
	}
	strbuf_printf(out, "\n%zu of %zu items set what the previous plan sets at the same place", n, sets);
	strbuf_puts(out, n ? ":" : ".\n");
	for (size_t i = 0, k = 0; i < p->items.n; i++)
		if (p->items.at[i].sets && !touched[i])
			strbuf_printf(out, "%s%s", k++ ? ", " : " ", p->items.at[i].id);
	strbuf_puts(out, n ? ".\n" : "");
	strbuf_puts(
		out,
		"\n## To be done again\n\n"
		"- review: the rows of checklist.md for the items above, and of derived requirements that\n"
		"  changed with them\n"
		"- all gates: they ran on the new files, see gates.csv\n"
		"- timing: figures of the previous plan say nothing of this one\n\n"
		"Not shown: what the change means for parts of the system that the plan does not name.\n");
}

void impact_md(const struct evidence *p, struct strbuf *out)
{
	bool *touched = mem_new(p->items.n + 1, sizeof(*touched));
	struct plan_diff d;

	plan_diff(&d, p->in->previous, p->in->plan);
	strbuf_printf(
		out,
		"# Change impact\n\n%zu difference%s in meaning between the previous plan and this one.\n",
		d.n_differences, d.n_differences == 1 ? "" : "s");
	if (d.changes.n)
		strbuf_puts(out, "\n| change | what | item | requirements | findings | generated |\n"
				 "|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < d.changes.n; i++)
		impact_row(p, out, &d.changes.at[i], touched);
	impact_rest(p, out, touched);
	plan_diff_release(&d);
	free(touched);
}
