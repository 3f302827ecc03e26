/* SPDX-License-Identifier: MIT */
/* Items of the plan with the generated lines that realise them, as perseus_matrix.csv ties them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/pack/csv.h"
#include "evidence/pack/parts.h"
#include "lib/num.h"

static const char matrix[] = "perseus_matrix.csv";

const char *evidence_generated(const struct evidence *p, const char *name)
{
	for (size_t i = 0; i < p->in->n_generated; i++)
		if (!strcmp(p->in->generated[i].path, name))
			return p->in->generated[i].text;
	return NULL;
}

bool evidence_is_source(const char *name)
{
	size_t n = strlen(name);

	return n > 2 && !strcmp(name + n - 2, ".c") && !(n > 7 && !strcmp(name + n - 7, "_test.c"));
}

/* ---- columns by name: the matrix may grow ---- */

enum column { ITEM, KIND, NUMBER, FUNCTION, LINE, THREAD, POINT, VISIT, SETTINGS, COLUMNS };

static const char *const titles[COLUMNS] = {"plan item",
					    "kind",
					    "number",
					    "generated function",
					    "line of perseus_triggers.c",
					    "thread",
					    "point",
					    "visit first/every",
					    "settings"};

static int find_columns(const struct csv_row *head, size_t column[COLUMNS], struct err *err)
{
	for (int c = 0; c < COLUMNS; c++) {
		for (column[c] = 0; column[c] < head->fields.n; column[c]++)
			if (!strcmp(csv_field(head, column[c]), titles[c]))
				break;
		if (column[c] == head->fields.n)
			return err_set(err, -EINVAL, "%s has no column '%s'", matrix, titles[c]);
	}
	return 0;
}

/* ---- items ---- */

/* Evidence is a list with commas. */
static void pack_read_split(struct evidence_words *out, const char *list)
{
	for (const char *s = list; s && *s;) {
		size_t n;

		s += strspn(s, ", ");
		n = strcspn(s, ", ");
		if (n)
			vec_push(out, mem_strndup(s, n));
		s += n;
	}
}

static char *point_text(const struct csv_row *row, const size_t *column, bool call)
{
	struct strbuf out = STRBUF_INIT;

	strbuf_puts(&out, csv_field(row, column[POINT]));
	if (call)
		strbuf_printf(&out, ", visit %s", csv_field(row, column[VISIT]));
	return strbuf_detach(&out);
}

/* Where the row points to in the plan, "threads[3]": the index behind @list, PLAN_NONE. */
static uint32_t pack_read_place(const char *item, const char *list, size_t n)
{
	size_t word = strlen(list);
	uint64_t index;
	char digits[16];

	if (strncmp(item, list, word) || item[word] != '[')
		return PLAN_NONE;
	snprintf(digits, sizeof(digits), "%.*s", (int)strcspn(item + word + 1, "]"), item + word + 1);
	return n && !num_u64(digits, 0, n - 1, &index) ? (uint32_t)index : PLAN_NONE;
}

static void pack_read_fill(const struct plan *plan, struct evidence_item *it)
{
	char id[32];

	if (it->kind == ITEM_FLUSH) {
		const struct plan_flush *u = &plan->flushes[it->index];

		snprintf(id, sizeof(id), "flush %u", u->number);
		it->number = u->number;
		it->site = PLAN_NONE;
		it->reason = u->reason;
		pack_read_split(&it->findings, u->evidence);
		it->sets = true;
	} else if (it->kind == ITEM_TRIGGER) {
		const struct plan_trigger *g = &plan->triggers[it->index];

		snprintf(id, sizeof(id), "trigger %04u", g->number);
		it->number = g->number;
		it->site = g->at == PLAN_AT_CALL ? g->site : PLAN_NONE;
		it->reason = g->reason;
		pack_read_split(&it->findings, g->evidence);
		it->sets = true;
	} else {
		const struct plan_thread *t = &plan->threads[it->index];

		snprintf(id, sizeof(id), "thread %u", it->index);
		it->site = t->create_site;
		it->reason = t->reason;
		pack_read_split(&it->findings, t->evidence);
		it->sets = t->core != PLAN_NONE;
	}
	it->id = mem_strdup(id);
}

static int one_item(struct evidence *p, const struct csv_row *row, const size_t *column, struct err *err)
{
	const struct plan *plan = p->in->plan;
	const char *where = csv_field(row, column[ITEM]);
	uint32_t thread = pack_read_place(where, "threads", plan->n_threads);
	uint32_t trigger = pack_read_place(where, "triggers", plan->n_triggers);
	uint32_t flush = pack_read_place(where, "flushes", plan->n_flushes);
	struct evidence_item *it;
	uint64_t line;

	if ((thread == PLAN_NONE && trigger == PLAN_NONE && flush == PLAN_NONE) ||
	    num_u64(csv_field(row, column[LINE]), 0, UINT32_MAX, &line))
		return err_set(err, -EINVAL, "%s line %u: '%s' is no item of the plan", matrix, row->line,
			       where);
	it = vec_add(&p->items);
	it->kind = flush != PLAN_NONE ? ITEM_FLUSH : trigger != PLAN_NONE ? ITEM_TRIGGER : ITEM_THREAD;
	it->index = flush != PLAN_NONE ? flush : trigger != PLAN_NONE ? trigger : thread;
	it->place = mem_strdup(where);
	it->line = (uint32_t)line;
	it->function = mem_strdup(csv_field(row, column[FUNCTION]));
	it->thread = mem_strdup(csv_field(row, column[THREAD]));
	it->settings = mem_strdup(csv_field(row, column[SETTINGS]));
	it->point = point_text(row, column,
			       it->kind == ITEM_TRIGGER && plan->triggers[it->index].at == PLAN_AT_CALL);
	pack_read_fill(plan, it);
	return 0;
}

/* ---- layouts: the compiler gives them, so no function realises one ---- */

/* The assertion that the header has of a layout: the line that says @what, and in @line its number; no comment. */
static const char *assertion(const char *header, uint32_t index, const char *what, uint32_t *line)
{
	static const char macro[] = "PERSEUS_LAYOUT(";
	char text[64];

	snprintf(text, sizeof(text), "\"layouts[%" PRIu32 "]: %s\");", index, what);
	*line = 1;
	for (const char *at = header; at && *at; *line += 1) {
		size_t len = strcspn(at, "\n");

		if (!strncmp(at, macro, sizeof(macro) - 1) && memmem(at, len, text, strlen(text)))
			return at;
		at += len + (at[len] == '\n');
	}
	*line = 0;
	return NULL;
}

/* Does the line say "== @value" (or ">= @value") and go on with the text? */
static bool asserts(const char *header, uint32_t index, const char *what, const char *relation,
		    uint64_t value)
{
	char text[48];
	uint32_t line;
	const char *at = assertion(header, index, what, &line);
	size_t len = at ? strcspn(at, "\n") : 0;

	snprintf(text, sizeof(text), ") %s %" PRIu64 "u, ", relation, value);
	return at && memmem(at, len, text, strlen(text));
}

/* Of what only the compiler has a name for, a type without one or a clone, no source can speak. */
static bool in_source(const char *name)
{
	static const char written[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:<>,* ";

	return name && *name && !name[strspn(name, written)] && !strchr("0123456789:<>,* ", *name);
}

bool layout_asserted(const struct evidence *p, const struct evidence_item *it)
{
	const struct plan_layout *l = &p->in->plan->layouts[it->index];
	const char *header = evidence_generated(p, LAYOUTS_HEADER);
	bool field = l->kind == PLAN_LAYOUT_FIELD;

	if (field ? !in_source(l->type) || !in_source(l->field) || strpbrk(l->field, ":<>,* ")
		  : !in_source(l->variable))
		return true;
	return asserts(header, it->index, "size", "==", field ? l->size_after : l->size) &&
	       asserts(header, it->index, "alignment", ">=", l->align) &&
	       (!field || asserts(header, it->index, "place", "==", l->offset_after));
}

void layout_text(struct strbuf *out, const struct plan_layout *l)
{
	plan_layout_name(l, out);
	strbuf_printf(out, " aligned to %" PRIu32, l->align);
	if (l->kind == PLAN_LAYOUT_FIELD)
		strbuf_printf(out, ", at byte %" PRIu64 " of %" PRIu64, l->offset_after, l->size_after);
	else
		strbuf_printf(out, ", %" PRIu64 " bytes of its own", l->size_after);
}

static void layouts_read(struct evidence *p)
{
	for (uint32_t i = 0; i < p->in->plan->n_layouts; i++) {
		const struct plan_layout *l = &p->in->plan->layouts[i];
		struct evidence_item *it = vec_add(&p->items);
		struct strbuf settings = STRBUF_INIT;
		char text[32];

		*it = (struct evidence_item){
			.sets = true, .kind = ITEM_LAYOUT, .index = i, .site = PLAN_NONE};
		snprintf(text, sizeof(text), "layout %" PRIu32, i);
		it->id = mem_strdup(text);
		snprintf(text, sizeof(text), "layouts[%" PRIu32 "]", i);
		it->place = mem_strdup(text);
		it->function =
			mem_strdup(assertion(evidence_generated(p, LAYOUTS_HEADER), i, "size", &it->line)
					   ? LAYOUTS_HEADER
					   : "");
		it->thread = mem_strdup("");
		it->point = mem_strdup("each unit that has it");
		layout_text(&settings, l);
		it->settings = strbuf_detach(&settings);
		it->reason = l->reason;
		pack_read_split(&it->findings, l->evidence);
	}
}

int items_read(struct evidence *p, struct err *err)
{
	const char *text = evidence_generated(p, matrix);
	struct csv_rows rows = VEC_INIT;
	size_t column[COLUMNS];
	int ret;

	if (!text)
		return err_set(err, -EINVAL, "the generated files hold no %s", matrix);
	ret = csv_parse(&rows, text, strlen(text), matrix, err);
	if (!ret && !rows.n)
		ret = err_set(err, -EINVAL, "%s is empty", matrix);
	if (!ret)
		ret = find_columns(&rows.at[0], column, err);
	for (size_t i = 1; !ret && i < rows.n; i++)
		ret = one_item(p, &rows.at[i], column, err);
	csv_release(&rows);
	layouts_read(p);
	return ret;
}

void functions_read(struct evidence *p)
{
	for (size_t i = 0; i < p->in->n_generated; i++)
		outline_add_constants(&p->outline, p->in->generated[i].text);
	for (size_t i = 0; i < p->in->n_generated; i++)
		if (evidence_has_functions(p->in->generated[i].path))
			outline_add_file(&p->outline, p->in->generated[i].path, p->in->generated[i].text);
	outline_finish(&p->outline);
}
