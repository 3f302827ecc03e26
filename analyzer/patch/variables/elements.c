/* SPDX-License-Identifier: MIT */
/* Elements without a struct, in allocated memory or a container, that become structs of a line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/variables/variable.h"
#include "lib/mem.h"

size_t declaration_container_args(const struct declaration *v)
{
	static const char *const types[] = {"vector", "array", "deque", NULL};

	for (size_t i = v->m->first; i + 1 < v->m->declarator; i++)
		if (source_is_any(v->s, i, types) && source_is(v->s, i + 1, "<"))
			return i + 1;
	return SOURCE_NONE;
}

/* The ',' or bracket that ends the argument at @i, before @close. */
static size_t argument_end(const struct source *s, size_t i, size_t close)
{
	while (i < close && !source_is(s, i, ","))
		i = source_match(s, i) != SOURCE_NONE && source_match(s, i) > i ? source_match(s, i) + 1
										: i + 1;
	return i;
}

/* A number as it stands, which no iterator is. */
static bool is_plain(const struct source *s, size_t from, size_t end)
{
	from += source_is(s, from, "-");
	return from + 1 == end && s->at[from].kind == TOKEN_NUMBER;
}

/* Tokens @from to @end, a value, become a struct of it in braces, by its name if @named. */
static int brace(const struct declaration *v, struct edits *e, size_t from, size_t end, bool named,
		 struct err *err)
{
	const struct source *s = v->s;
	bool plain = is_plain(s, from, end);
	struct strbuf sb = STRBUF_INIT;
	int ret;

	if (named)
		strbuf_printf(&sb, "%s_line", v->name);
	strbuf_puts(&sb, "{");
	if (named && !plain)
		strbuf_printf(&sb, "static_cast<decltype(%s_line::v)>(", v->name);
	ret = edits_add(e, s->at[from].at, 0, sb.s, err);
	strbuf_release(&sb);
	strbuf_printf(&sb, "%s%s}", named && !plain ? ")" : "", v->filled ? ", {}" : "");
	if (!ret)
		ret = edits_add(e, s->at[end - 1].at + s->at[end - 1].len, 0, sb.s, err);
	strbuf_release(&sb);
	return ret;
}

/* A list of values; a std::array holds another one that its braces need not show. */
static int brace_list(const struct declaration *v, struct edits *e, size_t open, struct err *err)
{
	const struct source *s = v->s;
	size_t close = source_match(s, open);
	bool array = source_is(s, declaration_container_args(v) - 1, "array"),
	     shown = source_is(s, open + 1, "{") && source_match(s, open + 1) + 1 == close;
	int ret = 0;

	if (array && shown)
		close = source_match(s, ++open);
	else if (array)
		ret = edits_add(e, s->at[open].at, 0, "{", err);
	for (size_t i = open + 1, end; i < close && !ret; i = end + 1) {
		end = argument_end(s, i, close);
		if (end > i)
			ret = brace(v, e, i, end, false, err);
	}
	/* Behind the last value's, of which it would be the same edit. */
	if (array && !shown && !ret)
		ret = edits_add(e, s->at[close].at, 0, " }", err);
	return ret;
}

/* `(n)`, `(n, 0)` and, where one of the two can be no iterator, `(n, x)`; `= {x, y}` and `{x, y}`. */
static int container_value(const struct declaration *v, struct edits *e, struct err *err)
{
	const struct source *s = v->s;
	size_t open = v->m->name + 1, close, comma, end, list = v->m->value;

	if (!source_is(s, open, "(") && declaration_is_zero(v))
		return 0;
	close = source_is(s, open, "(") ? source_match(s, open) : SOURCE_NONE;
	comma = close == SOURCE_NONE ? close : argument_end(s, open + 1, close);
	if (close != SOURCE_NONE && comma == close)
		return 0;
	if (close != SOURCE_NONE && comma + 2 == close && source_is(s, comma + 1, "0"))
		return edits_add(e, s->at[comma].at, s->at[close].at - s->at[comma].at, "", err);
	end = close == SOURCE_NONE ? close : argument_end(s, comma + 1, close);
	if (v->d == DIALECT_CXX && end != SOURCE_NONE && end == close &&
	    (is_plain(s, open + 1, comma) || is_plain(s, comma + 1, close)))
		return brace(v, e, comma + 1, close, true, err);
	list += list != SOURCE_NONE && source_is(s, list, "=");
	if (v->d == DIALECT_CXX && close == SOURCE_NONE && list != SOURCE_NONE && source_is(s, list, "{") &&
	    source_match(s, list) != SOURCE_NONE)
		return brace_list(v, e, list, err);
	return err_set(err, -ENOTSUP, "`%s` at %s:%u is made from values", v->name, v->f->name,
		       s->at[v->m->name].line);
}

/* The struct of one element, in front of the declaration. */
static int add_struct(const struct declaration *v, struct edits *e, const char *type, bool aligned,
		      struct err *err)
{
	char *indent = source_indent(v->s, v->m->first);
	struct strbuf sb = STRBUF_INIT;
	int ret;

	if (aligned)
		strbuf_printf(&sb, "struct alignas(64) %s_line { %s v; };\n%s", v->name, type, indent);
	else
		strbuf_printf(&sb, "struct %s_line { %s v; char other[64 - sizeof(%s)]; };\n%s", v->name,
			      type, type, indent);
	ret = edits_add(e, v->s->at[v->m->first].at, 0, sb.s, err);
	strbuf_release(&sb);
	free(indent);
	return ret;
}

/* Old standards assert by a typedef, which may stand at the end of any declaration. */
static int add_assertion(const struct declaration *v, struct edits *e, struct err *err)
{
	char *indent = source_indent(v->s, v->m->first), *text;
	struct strbuf condition = STRBUF_INIT, sb = STRBUF_INIT;
	int ret;

	strbuf_printf(&condition, "sizeof(%s%s_line) >= 64", patch_cxx(v->p, v->f) ? "" : "struct ", v->name);
	text = patch_assertion(v->d, condition.s, v->name);
	strbuf_printf(&sb, "\n%s%s", indent, text);
	ret = edits_add(e, v->s->at[v->m->end].at + 1, 0, sb.s, err);
	strbuf_release(&condition);
	strbuf_release(&sb);
	free(text);
	free(indent);
	return ret;
}

int declaration_change_container(struct declaration *v, struct edits *e, bool aligned, struct err *err)
{
	const struct source *s = v->s;
	size_t open = declaration_container_args(v), last = source_arg_end(s, open, v->m->declarator);
	char *type, *name;
	int ret;

	if (last == SOURCE_NONE || v->m->of > 1)
		return err_set(err, -ENOTSUP, "the declaration of `%s` at %s:%u is not one that can be split",
			       v->name, v->f->name, s->at[v->m->name].line);
	v->container = true;
	v->filled = !aligned;
	type = source_piece(s, open + 1, last);
	name = mem_new(strlen(v->name) + 6, 1);
	strcat(strcpy(name, v->name), "_line");
	ret = add_struct(v, e, type, aligned, err);
	if (!ret)
		ret = edits_add(e, s->at[open + 1].at, s->at[last].at + s->at[last].len - s->at[open + 1].at,
				name, err);
	if (!ret)
		ret = container_value(v, e, err);
	free(type);
	free(name);
	return ret;
}

/*
 * The last token of T where @i begins `unique_ptr<T[]>`, `make_unique<T[]>(` or `new T[`, and in *@from
 * its first; SOURCE_NONE: it begins another thing.
 */
static size_t owned_type(const struct source *s, size_t i, size_t end, size_t *from)
{
	static const char *const owners[] = {"unique_ptr", "make_unique", NULL};
	size_t last;

	*from = i + 1;
	if (source_is_any(s, i, owners) && source_is(s, i + 1, "<")) {
		*from = i + 2;
		last = source_arg_end(s, i + 1, end);
		return last != SOURCE_NONE && last > i + 3 && source_is(s, last - 1, "[") ? last - 2
											  : SOURCE_NONE;
	}
	for (last = i + 1; source_is(s, i, "new") && last + 1 < end; last++)
		if (source_is(s, last + 1, "["))
			return last;
	return SOURCE_NONE;
}

/* True if `make_unique<T[]>(n)` or `new T[n]` with T's last token at @last makes elements of 0, or of nothing. */
static bool makes_zeros(const struct source *s, size_t last)
{
	size_t close = source_match(s, last + 1), open = close == SOURCE_NONE ? close : close + 1;

	return open != SOURCE_NONE && (!source_is(s, open, "{") || source_match(s, open) == open + 1);
}

/* `std::unique_ptr<T[]> v(new T[n])` and `auto v = std::make_unique<T[]>(n)` become ones of `v_line`. */
static int change_owner(struct declaration *v, struct edits *e, bool aligned, struct err *err)
{
	const struct source *s = v->s;
	char *type = NULL;
	bool made = false, fits = v->m->of <= 1;
	int ret = 0;

	for (size_t i = v->m->first; i < v->m->end && !ret && fits; i++) {
		size_t from, last = owned_type(s, i, v->m->end, &from);
		struct strbuf sb = STRBUF_INIT;
		char *found;

		if (last == SOURCE_NONE)
			continue;
		found = source_piece(s, from, last);
		fits = (!type || !strcmp(type, found)) && (!source_is(s, i, "new") || makes_zeros(s, last));
		made |= !source_is(s, i, "unique_ptr");
		free(type);
		type = found;
		strbuf_printf(&sb, "%s_line", v->name);
		ret = edits_add(e, s->at[from].at, s->at[last].at + s->at[last].len - s->at[from].at, sb.s,
				err);
		strbuf_release(&sb);
	}
	if (!ret && (!made || !fits))
		ret = err_set(err, -ENOTSUP,
			      "the declaration of `%s` at %s:%u does not allocate its elements", v->name,
			      v->f->name, s->at[v->m->name].line);
	if (!ret)
		ret = add_struct(v, e, type, aligned, err);
	free(type);
	return ret;
}

/* A std::unique_ptr of an array is declared: by its type, or by the value of an `auto`. */
static bool is_owner(const struct declaration *v)
{
	size_t from, star = v->m->declarator;
	bool owner = false;

	for (size_t i = v->m->first; i < v->m->end && !owner; i++)
		owner = !source_is(v->s, i, "new") && owned_type(v->s, i, v->m->end, &from) != SOURCE_NONE;
	return owner && !source_is(v->s, star, "*");
}

/* `long *v` becomes `struct v_line *v`. */
static int change_pointer(struct declaration *v, struct edits *e, struct err *err)
{
	const struct source *s = v->s;
	size_t from = declaration_behind_storage(v), star = v->m->declarator;
	struct strbuf sb = STRBUF_INIT;
	char *type;
	int ret;

	if (v->m->of > 1 || star + 1 != v->m->name || !source_is(s, star, "*") || from >= star)
		return err_set(err, -ENOTSUP, "the declaration of `%s` at %s:%u is not one that can be split",
			       v->name, v->f->name, s->at[v->m->name].line);
	if (v->m->value != SOURCE_NONE && !source_is(s, v->m->value + 1, "NULL") &&
	    !source_is(s, v->m->value + 1, "nullptr") && !source_is(s, v->m->value + 1, "0") &&
	    !declaration_allocate(v, e, v->m->value + 1, err))
		return err_set(err, -ENOTSUP, "the allocation of `%s` at %s:%u takes no size from its type",
			       v->name, v->f->name, s->at[v->m->name].line);
	v->pointer = true;
	type = source_piece(s, from, star - 1);
	ret = add_struct(v, e, type, false, err);
	free(type);
	strbuf_printf(&sb, "struct %s_line ", v->name);
	if (!ret)
		ret = edits_add(e, s->at[from].at, s->at[star].at - s->at[from].at, sb.s, err);
	strbuf_release(&sb);
	return ret;
}

static int find_at(struct declaration *v, const char *name, uint32_t line)
{
	size_t number = source_find_variable(v->s, name, line, &v->all);

	/* `v = ..;` declares nothing. */
	if (number == SOURCE_NONE || v->all.at[number].declarator <= v->all.at[number].first) {
		source_members_release(&v->all);
		return -ENOENT;
	}
	v->m = &v->all.at[number];
	v->name = mem_strdup(name);
	return 0;
}

/* `v.reserve(n)` at token @i: the container v, declared before, nearest first. */
static int find_container(struct declaration *v, size_t i, const char *name)
{
	static const char *const words[] = {"reserve", "resize", "push_back", "emplace_back", "assign", NULL};
	const struct source *s = v->s;
	int ret = -ENOENT;

	if (!source_is(s, i + 1, ".") || !source_is_any(s, i + 2, words))
		return ret;
	for (size_t k = i; ret && k-- > 1;)
		if (source_is(s, k, name) && source_is(s, k - 1, ">"))
			ret = find_at(v, name, s->at[k].line);
	return ret;
}

/* Token @i is a word that allocates, or a type whose objects do. */
static bool allocates(const struct source *s, size_t i)
{
	static const char *const words[] = {"new",   "make_unique", "make_shared", "allocate", "vector",
					    "deque", "valarray",    "mmap",        NULL};

	if (source_is_any(s, i, words))
		return true;
	return source_is_word(s, i) && source_is(s, i + 1, "(") &&
	       memmem(s->text + s->at[i].at, s->at[i].len, "alloc", 5) != NULL;
}

/* Of several variables that a line gives values the one whose value is allocated; others count where none is. */
static bool other_is_allocated(const struct source *s, size_t i, uint32_t line)
{
	bool own = false, other = false, mine = true;

	for (; i < s->n && s->at[i].line == line; i++) {
		mine &= !source_is(s, i, ";");
		own |= mine && allocates(s, i);
		other |= !mine && allocates(s, i);
	}
	return other && !own;
}

/* The variable that @line declares, @named (may be NULL) if it is there, or assigns the allocated elements to. */
static int find_elements(struct declaration *v, const char *named, uint32_t line)
{
	const struct source *s = v->s;

	if (named && !find_at(v, named, line))
		return 0;

	for (size_t i = 0; i < s->n; i++) {
		bool assigned = source_is(s, i + 1, "=") || source_is(s, i + 1, "(") ||
				source_is(s, i + 1, "{") || source_is(s, i + 1, ";");
		char *name;
		int ret;

		if (s->at[i].line != line || !source_is_word(s, i) ||
		    !(assigned || source_is(s, i + 1, ".")) || (i && source_is(s, i - 1, ".")) ||
		    other_is_allocated(s, i, line))
			continue;
		name = source_piece(s, i, i);
		ret = assigned ? find_at(v, name, line) : find_container(v, i, name);
		/* A pointer declared before: nearest first. */
		for (size_t k = i; ret && k-- > 0 && source_is(s, i + 1, "=");)
			if (source_is(s, k, name) && k && source_is(s, k - 1, "*"))
				ret = find_at(v, name, s->at[k].line);
		free(name);
		if (!ret)
			return 0;
	}
	return -ENOENT;
}

/* Words of @line that allocate a block each: of several, which is meant is not known. */
static unsigned count_blocks(const struct source *s, uint32_t line)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->at[i].line == line && allocates(s, i);
	return n;
}

int patch_elements(struct patch *p, const struct sharing_object *o, struct err *err)
{
	struct declaration v = {.p = p, .f = o->file ? patch_open(p, o->file) : NULL};
	struct edits e;
	int ret;

	v.s = v.f ? &v.f->src : NULL;
	if (v.f && count_blocks(v.s, o->line) > 1)
		return err_set(err, -ENOTSUP,
			       "several blocks are allocated at %s:%u: which is meant is not known",
			       v.f->name, o->line);
	if (!v.f || find_elements(&v, o->kind == OBJECT_GLOBAL ? o->name : NULL, o->line))
		return err_set(err, -ENOENT,
			       "no declaration says how far apart these lie in allocated memory");
	v.d = patch_dialect(p, v.f);
	edits_copy(&e, &v.f->edits);
	if (declaration_container_args(&v) != SOURCE_NONE)
		ret = declaration_change_container(&v, &e, o->kind != OBJECT_HEAP || o->keeps_alignment, err);
	else if (is_owner(&v))
		ret = change_owner(&v, &e, o->keeps_alignment, err);
	else
		ret = change_pointer(&v, &e, err);
	if (!ret)
		ret = declaration_edit_uses(&v, &e, ".v", 1, err);
	if (!ret)
		ret = declaration_check_elsewhere(&v, err);
	if (!ret)
		ret = add_assertion(&v, &e, err);
	if (!ret)
		edits_swap(&v.f->edits, &e);
	edits_release(&e);
	source_members_release(&v.all);
	free(v.name);
	return ret;
}
