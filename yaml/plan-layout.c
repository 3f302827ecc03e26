/* SPDX-License-Identifier: MIT */
#include "yaml/plan-layout.h"

#include <stdio.h>
#include <string.h>

#include "yaml/tables.h"

const char *const plan_layout_words[] = {
	[PLAN_LAYOUT_FIELD] = "field", [PLAN_LAYOUT_VARIABLE] = "variable", NULL};

#define ONLY(value) .when = offsetof(struct plan_layout, kind), .when_mask = 1u << (value)

static const struct schema_field layout_fields[] = {
	F_ENUM(struct plan_layout, kind, plan_layout_words),
	F_STRING(struct plan_layout, type, ONLY(PLAN_LAYOUT_FIELD)),
	F_STRING(struct plan_layout, field, ONLY(PLAN_LAYOUT_FIELD)),
	F_STRING(struct plan_layout, variable, ONLY(PLAN_LAYOUT_VARIABLE)),
	F_STRING(struct plan_layout, unit, OPTIONAL, ONLY(PLAN_LAYOUT_VARIABLE)),
	F_STRING(struct plan_layout, file),
	F_U32(struct plan_layout, line, .min = 1, .max = 9999999),
	F_U32(struct plan_layout, align, .min = 2, .max = PLAN_ALIGN_MAX),
	F_U64(struct plan_layout, size, .min = 1, .max = 999999999999999),
	F_U64(struct plan_layout, offset, ONLY(PLAN_LAYOUT_FIELD)),
	F_U64(struct plan_layout, size_after, .min = 1, .max = 999999999999999),
	F_U64(struct plan_layout, offset_after, ONLY(PLAN_LAYOUT_FIELD)),
	F_U64(struct plan_layout, bytes, OPTIONAL),
	F_STRING(struct plan_layout, breaks, OPTIONAL),
	F_STRING(struct plan_layout, accept, OPTIONAL, ONLY(PLAN_LAYOUT_FIELD)),
	F_BOOL(struct plan_layout, weighed, OPTIONAL),
	F_U64(struct plan_layout, saves_ns, OPTIONAL),
	F_STRING(struct plan_layout, evidence, OPTIONAL),
	F_STRING(struct plan_layout, reason, OPTIONAL),
	F_END,
};
const struct schema plan_layout_schema = {"a layout", sizeof(struct plan_layout), layout_fields, false};

const char *const plan_choice_words[] = {[PLAN_NEITHER] = "neither",
					 [PLAN_LAYOUTS_ALONE] = "layouts",
					 [PLAN_PLACEMENT_ALONE] = "placement",
					 [PLAN_BOTH] = "both",
					 NULL};

static const struct schema_field choice_fields[] = {
	F_ENUM(struct plan_choice, kind, plan_choice_words),
	F_U64(struct plan_choice, bytes, OPTIONAL),
	F_U64(struct plan_choice, time_ns),
	F_U64(struct plan_choice, bound_time_ns, OPTIONAL),
	F_STRING(struct plan_choice, evidence, OPTIONAL),
	F_END,
};
const struct schema plan_choice_schema = {"a choice", sizeof(struct plan_choice), choice_fields, false};

bool plan_has_evidence(const char *ids, const char *id)
{
	size_t len = strlen(id);

	for (const char *at = ids; at && *at; at += strspn(at, ", ")) {
		size_t n = strcspn(at, ", ");

		if (n == len && !strncmp(at, id, n))
			return true;
		at += n;
	}
	return false;
}

void plan_layout_name(const struct plan_layout *l, struct strbuf *out)
{
	if (l->kind == PLAN_LAYOUT_FIELD)
		strbuf_printf(out, "%s.%s", l->type, l->field);
	else
		strbuf_puts(out, l->variable);
}

/* What is wrong with the figures of @l, and at which key; NULL: nothing. */
static const char *figures_fault(const struct plan_layout *l, const char **key)
{
	bool field = l->kind == PLAN_LAYOUT_FIELD;

	*key = "align";
	if (l->align & (l->align - 1))
		return "an alignment is a power of two";
	*key = "size_after";
	if (l->size_after % l->align || l->size_after < l->size)
		return "with the layout the size is a multiple of the alignment, and not smaller";
	if (!field && l->size_after - l->size >= l->align)
		return "a variable takes as many bytes as are left to the next multiple of the alignment";
	*key = "offset";
	if (field && l->offset >= l->size)
		return "the field lies behind the end of its type";
	*key = "offset_after";
	if (field && (l->offset_after % l->align || l->offset_after < l->offset))
		return "with the layout the field is at a multiple of the alignment, and not further in "
		       "front";
	if (field && l->offset_after >= l->size_after)
		return "the field lies behind the end of its type";
	return NULL;
}

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* What is wrong with @l behind @before, and at which key; NULL: nothing. */
static const char *pair_fault(const struct plan_layout *l, const struct plan_layout *before, const char **key)
{
	bool field = l->kind == PLAN_LAYOUT_FIELD, same_type;

	if (l->kind != before->kind)
		return NULL;
	same_type = field && !strcmp(l->type, before->type) && !strcmp(l->file, before->file);
	*key = field ? "field" : "variable";
	if (field && l->line == before->line && !strcmp(l->file, before->file) &&
	    !strcmp(l->field, before->field))
		return same_type ? "this field has a layout already"
				 : "two fields of this name are declared in this line: the compiler cannot "
				   "tell which is meant";
	if (!field && !strcmp(l->variable, before->variable) && !strcmp(l->file, before->file) &&
	    l->line == before->line && same_text(l->unit, before->unit))
		return "this variable has a layout already";
	*key = "size";
	if (same_type && l->size != before->size)
		return "the type has another size in a layout before";
	*key = "size_after";
	if (same_type && l->size_after != before->size_after)
		return "the type has another size in a layout before: the sizes are those with all layouts";
	return NULL;
}

static int check_choices(const struct doc *d, const struct plan *p, struct err *err)
{
	char path[64];

	if (p->n_choices && p->n_choices != PLAN_CHOICES)
		return doc_fail(d, doc_at(d, "choices"), err, "%zu choices, expected none or all %d",
				p->n_choices, PLAN_CHOICES);
	for (size_t i = 0; i < p->n_choices; i++) {
		snprintf(path, sizeof(path), "choices.%zu.kind", i);
		if (p->choices[i].kind != (enum plan_choice_kind)i)
			return doc_fail(d, doc_at(d, path), err, "expected the choice `%s`",
					plan_choice_words[i]);
	}
	for (size_t i = 0; i < p->n_layouts; i++) {
		snprintf(path, sizeof(path), "layouts.%zu", i);
		if (p->layouts[i].weighed && (!p->n_choices || !p->layouts[i].evidence))
			return doc_fail(d, doc_at(d, path), err,
					"a weighed layout has evidence, and its plan has `choices`");
		if (p->layouts[i].saves_ns && !p->layouts[i].weighed)
			return doc_fail(d, doc_at(d, path), err, "only a weighed layout saves time");
	}
	return 0;
}

int plan_layouts_check(const struct doc *d, const struct plan *p, struct err *err)
{
	char path[64];

	if (p->n_layouts > PLAN_LAYOUTS)
		return doc_fail(d, doc_at(d, "layouts"), err, "%zu layouts, expected at most %u",
				p->n_layouts, PLAN_LAYOUTS);
	for (size_t i = 0; i < p->n_layouts; i++) {
		const char *key, *fault = figures_fault(&p->layouts[i], &key);

		for (size_t k = 0; k < i && !fault; k++)
			fault = pair_fault(&p->layouts[i], &p->layouts[k], &key);
		snprintf(path, sizeof(path), "layouts.%zu.%s", i, key);
		if (fault)
			return doc_fail(d, doc_at(d, path), err, "%s", fault);
	}
	return check_choices(d, p, err);
}
