/* SPDX-License-Identifier: MIT */
/* Parts of std::pair that are kept apart. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/types/search.h"
#include "analyzer/patch/variables/variable.h"
#include "analyzer/sharing/remedy-layout.h"
#include "lib/mem.h"

/* The second type of "std::pair<A, B>", owned by the caller; NULL: it is another type. */
static char *second_type(const char *type)
{
	int depth = 0;

	if (!type || strncmp(type, "std::pair<", 10))
		return NULL;
	for (const char *s = type + 10; *s; s++) {
		depth += (*s == '<') - (*s == '>');
		if (*s != ',' || depth)
			continue;
		s += 1 + strspn(s + 1, " ");
		depth = (int)strlen(s) - 1;
		while (depth > 0 && s[depth - 1] == ' ')
			depth--;
		return depth > 0 ? mem_strndup(s, (size_t)depth) : NULL;
	}
	return NULL;
}

/* True if threads meet between the two parts of pairs, and not inside of one. */
static bool between_parts(const struct sharing_object *o)
{
	for (size_t i = 0; i < o->n_uses; i++) {
		bool first = !strncmp(o->uses[i].field, "first", 5);

		if (o->uses[i].inside || (!first && strncmp(o->uses[i].field, "second", 6) != 0))
			return false;
		for (size_t k = 0; k < i; k++)
			if (!o->array && first == !strncmp(o->uses[k].field, "first", 5) &&
			    !sharing_use_alike(&o->uses[i], &o->uses[k]))
				return false;
	}
	return true;
}

/* What the layout of a pair has of its second part, which may have base classes; free the fields. */
static bool second_layout(const struct sharing_object *o, const char *type, struct run_type *out)
{
	const struct run_type *pair = o->layout;

	*out = (struct run_type){.name = type};
	if (!pair)
		return false;
	out->fields = mem_new(pair->n_fields + 1, sizeof(*out->fields));
	for (size_t i = 0; i < pair->n_fields; i++) {
		struct run_field field = pair->fields[i];

		if (strncmp(field.name, "second.", 7))
			continue;
		if (!out->n_fields)
			out->bytes = pair->bytes - field.offset;
		field.name += 7;
		field.offset -= pair->bytes - out->bytes;
		out->fields[out->n_fields++] = field;
	}
	out->fixed = out->bytes;
	return out->n_fields;
}

/* Let @layout, the type of the second part, begin a line. */
static bool align_second(struct patch *p, const struct sharing_finding *f, const struct sharing_object *pair,
			 const struct run_type *layout)
{
	struct sharing_use use = {.field = (char *)layout->fields[0].name, .placed = true};
	struct sharing_object o = {.kind = OBJECT_GLOBAL,
				   .array = true,
				   .uses = &use,
				   .n_uses = 1,
				   .file = pair->file,
				   .layout = layout};
	struct remedy_layout l;
	bool done;

	if (patch_check_memory(p, &o, NULL) || o.also_allocated || !layout_pad(&l, &o, true))
		return false;
	done = l.whole && !patch_struct(p, f, &o, &l, NULL);
	layout_release(&l);
	return done;
}

/* The tokens *@from to *@to of B in a declaration of "std::pair<A, B>"; false: it is of another type. */
static bool second_argument(const struct declaration *v, size_t *from, size_t *to)
{
	const struct source *s = v->s;

	for (size_t i = v->m->first; i + 1 < v->m->declarator && !source_is(s, i, "<"); i++) {
		size_t last;

		if (!source_is(s, i, "pair") || !source_is(s, i + 1, "<"))
			continue;
		last = source_arg_end(s, i + 1, v->m->declarator);
		if (last == SOURCE_NONE || !source_is(s, last + 1, ","))
			return false;
		*from = last + 2;
		*to = source_arg_end(s, last + 1, v->m->declarator);
		return *to != SOURCE_NONE && *to + 2 == v->m->declarator && v->m->declarator == v->m->name;
	}
	return false;
}

/* A number as it stands, "unsigned long": what its values convert to by themselves. */
static bool is_arithmetic(const struct source *s, size_t from, size_t to)
{
	static const char *const words[] = {
		"long",     "int",      "short",    "char",      "unsigned", "signed",  "bool",     "float",
		"double",   "size_t",   "ssize_t",  "int8_t",    "int16_t",  "int32_t", "int64_t",  "uint8_t",
		"uint16_t", "uint32_t", "uint64_t", "ptrdiff_t", "std",      "::",      "volatile", NULL};

	for (size_t i = from; i <= to; i++)
		if (!source_is_any(s, i, words))
			return false;
	return from <= to;
}

/* The number that a second part holds: of "std::atomic<long>" the tokens of `long`; false: it holds another thing. */
static bool second_number(const struct declaration *v, size_t *from, size_t *to)
{
	const struct source *s = v->s;

	while (source_is(s, *from, "std") || source_is(s, *from, "::"))
		++*from;
	if (source_is(s, *from, "atomic") && source_is(s, *from + 1, "<") && source_is(s, *to, ">")) {
		*from += 2;
		--*to;
	}
	return is_arithmetic(s, *from, *to);
}

/* In front of the declaration.  Its constructor lets all values of the pair be what they are. */
static int add_second(const struct declaration *v, struct edits *e, const char *type, const char *number,
		      bool gaps, struct err *err)
{
	char *indent = source_indent(v->s, v->m->first),
	     *before = gaps ? search_gap(REMEDY_LINE, v->d) : NULL,
	     *after = gaps ? search_gap(REMEDY_LINE - 8, v->d) : NULL;
	struct strbuf sb = STRBUF_INIT;
	int ret;

	if (gaps)
		strbuf_printf(&sb, "struct %s_second {\n%s\t%s\n%s\t%s v;\n%s\t%s\n%s\t", v->name, indent,
			      before, indent, type, indent, after, indent);
	else
		strbuf_printf(&sb, "struct %s %s_second {\n%s\t%s v;\n%s\t", patch_align(v->d), v->name,
			      indent, type, indent);
	strbuf_printf(&sb, "%s%s_second(%s x = 0) : v(x) {}\n%s};\n%s",
		      v->d == DIALECT_CXX ? "constexpr " : "", v->name, number, indent, indent);
	ret = edits_add(e, v->s->at[v->m->first].at, 0, sb.s, err);
	strbuf_release(&sb);
	free(indent);
	free(before);
	free(after);
	return ret;
}

int declaration_change_pair(const struct declaration *v, struct edits *e, bool gaps, struct err *err)
{
	const struct source *s = v->s;
	size_t from, to, number, last;
	struct strbuf sb = STRBUF_INIT;
	char *type, *of;
	int ret;

	if (!second_argument(v, &from, &to) || v->m->of > 1)
		return err_set(err, -ENOENT, "the declaration of `%s` at %s:%u shows no std::pair", v->name,
			       v->f->name, s->at[v->m->name].line);
	number = from;
	last = to;
	if (!second_number(v, &number, &last))
		return err_set(err, -ENOTSUP, "the second part of `%s` at %s:%u is no number", v->name,
			       v->f->name, s->at[v->m->name].line);
	type = source_piece(s, from, to);
	of = source_piece(s, number, last);
	ret = add_second(v, e, type, of, gaps, err);
	strbuf_printf(&sb, "%s_second", v->name);
	if (!ret)
		ret = edits_add(e, s->at[from].at, s->at[to].at + s->at[to].len - s->at[from].at, sb.s, err);
	strbuf_release(&sb);
	free(type);
	free(of);
	return ret;
}

/* A variable that is a std::pair of numbers, or an array of them. */
static int change_variable(struct patch *p, const struct sharing_object *o, struct err *err)
{
	struct declaration v;
	struct edits e;
	int ret = declaration_find(&v, p, o, err);

	if (ret) {
		declaration_release(&v);
		return ret;
	}
	v.pair = true;
	edits_copy(&e, &v.f->edits);
	ret = declaration_change_pair(&v, &e, false, err);
	if (!ret)
		ret = declaration_edit_uses(&v, &e, ".v", 1, err);
	if (!ret)
		ret = declaration_check_elsewhere(&v, err);
	if (!ret)
		ret = declaration_assert(&v, &e, "__alignof__(%s) % 64 == 0", err);
	if (!ret)
		edits_swap(&v.f->edits, &e);
	edits_release(&e);
	declaration_release(&v);
	return ret;
}

int patch_pair_numbers(struct patch *p, const struct sharing_object *o, uint64_t *bytes, struct err *err)
{
	uint64_t n = remedy_elements(o);
	int ret;

	if (!o->type || strncmp(o->type, "std::pair<", 10) || o->kind == OBJECT_HEAP || !between_parts(o))
		return err_set(err, -ENOENT, "it is no std::pair");
	ret = change_variable(p, o, err);
	if (!ret) {
		patch_alignment(p, o);
		*bytes += (n + !n) * (2 * REMEDY_LINE - (o->layout ? o->layout->bytes : 0));
	}
	return ret;
}

bool patch_pair(struct patch *p, const struct sharing_finding *f, const struct sharing_object *o,
		uint64_t *bytes)
{
	char *type = second_type(o->type);
	struct run_type layout = {0};
	bool done = type && !layout_of_library(type) && o->kind != OBJECT_HEAP && between_parts(o) &&
		    second_layout(o, type, &layout) && align_second(p, f, o, &layout);
	uint64_t n = remedy_elements(o), first = done ? o->layout->bytes - layout.bytes : 0;

	if (done) {
		patch_alignment(p, o);
		*bytes += (n + !n) * ((REMEDY_LINE - first % REMEDY_LINE) % REMEDY_LINE +
				      (REMEDY_LINE - layout.bytes % REMEDY_LINE) % REMEDY_LINE);
	}
	free(layout.fields);
	free(type);
	return done;
}
