/* SPDX-License-Identifier: MIT */
/* Changing where a variable lies, and its elements. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/variables/variable.h"
#include "lib/inspect/demangle.h"
#include "lib/mem.h"
#include "lib/vec.h"

/* Structs with more members than this are not taken apart blindly. */
#define PART_MEMBERS 8u

/* Cut off the "<app::key>" that "tally<app::key>" ends with. */
static void without_arguments(char *name)
{
	size_t i = strlen(name);
	int depth = 0;

	if (!i || name[i - 1] != '>')
		return;
	while (i && (depth += (name[i - 1] == '>') - (name[i - 1] == '<')))
		i--;
	if (i)
		name[i - 1] = '\0';
}

/* The name in the source: `calls` of "calls.0", `per` of "run(long)::per", `tally` of "tally<1>". */
static char *source_name(const char *symbol)
{
	char *plain = demangle_short(symbol), *name;
	const char *last;

	plain = plain ? plain : mem_strdup(symbol);
	without_arguments(plain);
	last = plain;
	for (const char *s = last; *s; s++)
		if (s[0] == ':' && s[1] == ':')
			last = s + 2;
	name = mem_strndup(last, strcspn(last, ".[("));
	free(plain);
	return name;
}

/* "total of main()" -> "total". */
static char *local_name(const char *name)
{
	const char *of = strstr(name, " of ");

	return mem_strndup(name, of ? (size_t)(of - name) : strlen(name));
}

int declaration_find(struct declaration *v, struct patch *p, const struct sharing_object *o, struct err *err)
{
	size_t number;

	*v = (struct declaration){.p = p, .f = patch_open(p, o->file)};
	if (!o->file)
		return err_set(err, -ENOENT, "no site table says where it is declared");
	if (!v->f)
		return err_set(err, -ENOENT, "'%s' is not below '%s'", o->file, p->tree.root);
	v->s = &v->f->src;
	v->d = patch_dialect(p, v->f);
	v->name = o->symbol ? source_name(o->symbol) : local_name(o->name);
	number = o->symbol ? source_find_variable(v->s, v->name, o->line, &v->all)
			   : source_find_local(v->s, v->name, o->line, &v->all);
	if (number == SOURCE_NONE)
		return err_set(err, -ENOENT,
			       "no declaration of `%s` at %s:%u: a macro makes it, or the source has changed "
			       "since the build",
			       v->name, v->f->name, o->line);
	v->m = &v->all.at[number];
	return 0;
}

void declaration_release(struct declaration *v)
{
	source_members_release(&v->all);
	free(v->name);
}

static bool is_storage(const struct source *s, size_t i)
{
	static const char *const words[] = {"static",       "extern", "_Thread_local", "__thread",
					    "thread_local", "inline", "constinit",     "mutable"};

	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
		if (source_is(s, i, words[k]))
			return true;
	return false;
}

/* Behind `_Alignas(64)`, `__attribute__((aligned(64)))` or `[[..]]` at @i; @i: there is none. */
static size_t past_attribute(const struct source *s, size_t i)
{
	bool named =
		source_is(s, i, "_Alignas") || source_is(s, i, "alignas") || source_is(s, i, "__attribute__");
	size_t open = named ? i + 1 : i, close = SOURCE_NONE;

	if (source_is(s, open, "(") ? named : source_is(s, i, "[") && source_is(s, i + 1, "["))
		close = source_match(s, open);
	return close == SOURCE_NONE ? i : close + 1;
}

/* The first token behind `template<...>`, in front of which no attribute may stand. */
static size_t behind_template(const struct declaration *v)
{
	const struct source *s = v->s;
	size_t i = v->m->first;

	while (i < v->m->declarator && source_is(s, i, "template") && source_is(s, i + 1, "<")) {
		int depth = 0;

		for (i++; i < v->m->declarator; i++) {
			size_t close = source_is(s, i, "(") ? source_match(s, i) : SOURCE_NONE;

			i = close != SOURCE_NONE ? close : i;
			depth += source_is(s, i, "<") - source_is(s, i, ">");
			if (!depth)
				break;
		}
		i++;
	}
	return i;
}

/*
 * The first token behind "static", "extern" and the like; attributes in front of
 * these are the variable's and stay where they are.
 */
size_t declaration_behind_storage(const struct declaration *v)
{
	size_t i = behind_template(v), k = i;

	for (size_t next; (next = past_attribute(v->s, k)) != k; k = next)
		;
	if (is_storage(v->s, k))
		i = k;
	while (is_storage(v->s, i))
		i++;
	return i;
}

/* `long static v[2]`: words that cannot go into a struct stand behind others that have to. */
static int check_storage(const struct declaration *v, struct err *err)
{
	size_t i = declaration_behind_storage(v);

	for (; i < v->m->declarator; i++)
		if (is_storage(v->s, i) || source_is(v->s, i, "__attribute__"))
			return err_set(err, -ENOTSUP,
				       "the storage class of `%s` at %s:%u, or an attribute, stands behind "
				       "a part of its type",
				       v->name, v->f->name, v->s->at[i].line);
	return 0;
}

/* Is it the definition of a class's static member, `long Class::v;`? */
static bool of_class(const struct declaration *v)
{
	return v->m->name && source_is(v->s, v->m->name - 1, "::");
}

/* Is it a static member of a class, which others name as Class::v? */
static bool in_class(const struct declaration *v)
{
	const struct source *s = v->s;
	size_t end = source_block_end(s, v->m->end), i = end == SOURCE_NONE ? 0 : source_match(s, end);
	bool found = false;

	for (i = i == SOURCE_NONE ? 0 : i; i-- > 0;) {
		if (source_is(s, i, ";") || source_is(s, i, "}") || source_is(s, i, "{"))
			break;
		if (source_is(s, i, ")"))
			return false;
		found |= source_is(s, i, "class") || source_is(s, i, "struct") || source_is(s, i, "union");
	}
	return found;
}

/* C++ wants alignment before all else, C behind the storage class. */
static int align(const struct declaration *v, struct edits *e, struct err *err)
{
	size_t i = v->d == DIALECT_CXX ? behind_template(v) : declaration_behind_storage(v);
	struct strbuf sb = STRBUF_INIT;
	int ret;

	if (source_is(v->s, behind_template(v), "requires"))
		return err_set(err, -ENOTSUP, "the template `%s` at %s:%u has a requires clause", v->name,
			       v->f->name, v->s->at[v->m->name].line);
	strbuf_printf(&sb, "%s ", patch_align(v->d));
	ret = edits_add(e, v->s->at[i].at, 0, sb.s, err);
	strbuf_release(&sb);
	return ret;
}

int declaration_raise_alignment(const struct declaration *v, struct edits *e, struct err *err)
{
	size_t i = v->m->first;
	int ret = 0;

	while (!ret && (i = source_weak_alignment(v->s, i, v->m->end, REMEDY_LINE)) != SOURCE_NONE) {
		ret = edits_add(e, v->s->at[i].at, v->s->at[i].len, "64", err);
		i++;
	}
	return ret;
}

/* True if what stands in front of the '{' at @open begins with `template`, or has parameters of type auto. */
static bool heads_template(const struct source *s, size_t open)
{
	for (size_t i = open; i-- > 0;) {
		if (source_is(s, i, ";") || source_is(s, i, "}") || source_is(s, i, "{"))
			return false;
		if (source_is(s, i, "template") || source_is(s, i, "auto"))
			return true;
	}
	return false;
}

/*
 * Outside of its class a member may be private; a template, and what is declared
 * in one, has no alignment before it is instantiated: none is asserted there.
 */
static bool can_assert(const struct declaration *v)
{
	const struct source *s = v->s;
	size_t end = source_block_end(s, v->m->end), open;

	if (of_class(v) || behind_template(v) > v->m->first)
		return false;
	for (; end != SOURCE_NONE; end = source_block_end(s, end + 1)) {
		open = source_match(s, end);
		if (open == SOURCE_NONE || heads_template(s, open))
			return false;
	}
	return true;
}

int declaration_assert(const struct declaration *v, struct edits *e, const char *condition, struct err *err)
{
	struct strbuf sb = STRBUF_INIT, text = STRBUF_INIT;
	char *line, *indent = source_indent(v->s, v->m->first);
	int ret = 0;

	for (const char *at; (at = strstr(condition, "%s")); condition = at + 2) {
		strbuf_add(&sb, condition, (size_t)(at - condition));
		strbuf_puts(&sb, v->name);
	}
	strbuf_puts(&sb, condition);
	line = patch_assertion(v->d, sb.s, v->name);
	strbuf_printf(&text, "\n%s%s", indent, line);
	if (can_assert(v))
		ret = edits_add(e, v->s->at[v->m->end].at + 1, 0, text.s, err);
	free(line);
	free(indent);
	strbuf_release(&sb);
	strbuf_release(&text);
	return ret;
}

bool declaration_is_zero(const struct declaration *v)
{
	size_t i = v->m->value;

	if (i == SOURCE_NONE)
		return true;
	i += source_is(v->s, i, "=");
	return source_is(v->s, i, "{") &&
	       (source_is(v->s, i + 1, "}") || (source_is(v->s, i + 1, "0") && source_is(v->s, i + 2, "}")));
}

/* Past the `[1] =` in front of a value. */
static size_t past_designator(const struct source *s, size_t i)
{
	size_t close = source_is(s, i, "[") ? source_match(s, i) : SOURCE_NONE;

	return close != SOURCE_NONE && source_is(s, close + 1, "=") ? close + 2 : i;
}

int declaration_brace_list(const struct source *s, size_t open, struct edits *e, struct err *err)
{
	size_t close = source_match(s, open);
	int ret = 0;

	for (size_t i = open + 1; i < close && !ret;) {
		size_t from = past_designator(s, i), to = from;

		while (to < close && !source_is(s, to, ","))
			to = source_match(s, to) != SOURCE_NONE && source_match(s, to) > to
				     ? source_match(s, to) + 1
				     : to + 1;
		if (to > from)
			ret = edits_add(e, s->at[from].at, 0, "{", err);
		if (to > from && !ret)
			ret = edits_add(e, s->at[to - 1].at + s->at[to - 1].len, 0, "}", err);
		i = to + 1;
	}
	return ret;
}

int declaration_brace_values(const struct declaration *v, struct edits *e, struct err *err)
{
	const struct source *s = v->s;
	size_t i = v->m->value;

	i += i != SOURCE_NONE && source_is(s, i, "=");
	if (declaration_is_zero(v)) {
		/* A 0 would be one for the member, without braces of its own. */
		if (v->d == DIALECT_CXX && i != SOURCE_NONE && source_is(s, i + 1, "0"))
			return edits_add(e, s->at[i + 1].at, 1, "", err);
		return 0;
	}
	if (!source_is(s, i, "{") || source_match(s, i) == SOURCE_NONE)
		return err_set(err, -ENOTSUP, "the value of `%s` at %s:%u is no list", v->name, v->f->name,
			       s->at[v->m->name].line);
	return declaration_brace_list(s, i, e, err);
}

unsigned declaration_dimensions(const struct declaration *v, size_t *last)
{
	size_t i = v->m->name + 1;
	unsigned n = 0;

	for (; i <= v->m->last && source_is(v->s, i, "["); i = source_match(v->s, i) + 1) {
		*last = i;
		n++;
	}
	return n;
}

/* True if all variables of the declaration are arrays of one dimension, or it is but one. */
static bool all_alike(const struct declaration *v)
{
	for (size_t i = 0; v->m->of > 1 && i < v->all.n; i++) {
		struct declaration x = *v;
		size_t last;

		x.m = &v->all.at[i];
		if (x.m->of > 1 && (declaration_dimensions(&x, &last) != 1 || x.m->declarator != x.m->name))
			return false;
	}
	return true;
}

static int check_array(const struct declaration *v, const struct sharing_object *o, struct err *err)
{
	size_t last;
	int ret;

	if (remedy_elements(o) > REMEDY_ELEMENTS && declaration_dimensions(v, &last) == 1)
		return err_set(err, -ENOTSUP, "a line for each of the %llu elements of `%s` would be a waste",
			       (unsigned long long)remedy_elements(o), v->name);
	if (!all_alike(v))
		return err_set(
			err, -ENOTSUP,
			"`%s` is one of several variables in the declaration at %s:%u, and not all are "
			"arrays of numbers",
			v->name, v->f->name, v->s->at[v->m->first].line);
	if (behind_template(v) > v->m->first && !of_class(v))
		return err_set(err, -ENOTSUP, "`%s` at %s:%u is a template, of which each instance changes",
			       v->name, v->f->name, v->s->at[v->m->first].line);
	if (!declaration_dimensions(v, &last))
		return err_set(err, -ENOTSUP, "the declaration of `%s` at %s:%u shows no array", v->name,
			       v->f->name, v->s->at[v->m->first].line);
	if (in_class(v) || of_class(v))
		return err_set(err, -ENOTSUP,
			       "`%s` at %s:%u is a member of a class, which others may name, too", v->name,
			       v->f->name, v->s->at[v->m->first].line);
	ret = check_storage(v, err);
	return ret ? ret : declaration_check_elsewhere(v, err);
}

/* The values and uses of the other variables of the declaration, which are of the new type, too. */
static int wrap_others(const struct declaration *v, struct edits *e, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; v->m->of > 1 && i < v->all.n && !ret; i++) {
		struct declaration x = *v;

		x.m = &v->all.at[i];
		if (x.m == v->m)
			continue;
		x.name = source_piece(v->s, x.m->name, x.m->name);
		ret = declaration_brace_values(&x, e, err);
		if (!ret)
			ret = declaration_edit_uses(&x, e, ".v", 1, err);
		if (!ret)
			ret = declaration_check_elsewhere(&x, err);
		free(x.name);
	}
	return ret;
}

/* `long v[N];` becomes `struct { _Alignas(64) long v; } v[N];`, and `v[i]` becomes `v[i].v`. */
static int wrap(const struct declaration *v, struct edits *e, unsigned dims, struct err *err)
{
	const struct source *s = v->s;
	size_t from = declaration_behind_storage(v), star = (v->m - v->m->number)->declarator,
	       name = (v->m - v->m->number)->name;
	struct strbuf sb = STRBUF_INIT;
	char *stars = star < name ? source_piece(s, star, name - 1) : mem_strdup("");
	int ret;

	strbuf_puts(&sb, "struct { ");
	if (!source_is(s, from, "alignas") && !source_is(s, from, "_Alignas"))
		strbuf_printf(&sb, "%s ", patch_align(v->d));
	ret = edits_add(e, s->at[from].at, 0, sb.s, err);
	strbuf_release(&sb);
	strbuf_printf(&sb, "%sv; } ", stars);
	if (!ret)
		ret = edits_add(e, s->at[star].at, s->at[name].at - s->at[star].at, sb.s, err);
	strbuf_release(&sb);
	free(stars);
	if (!ret && dims > 1 && !declaration_is_zero(v))
		ret = err_set(err, -ENOTSUP, "the value of `%s` at %s:%u has rows", v->name, v->f->name,
			      s->at[v->m->name].line);
	if (!ret)
		ret = declaration_brace_values(v, e, err);
	if (!ret)
		ret = declaration_edit_uses(v, e, ".v", dims, err);
	if (!ret)
		ret = wrap_others(v, e, err);
	return ret ? ret : declaration_assert(v, e, "__alignof__(%s) % 64 == 0", err);
}

/* `long v[T][N];`: each row becomes whole lines. */
static int widen_rows(const struct declaration *v, struct edits *e, uint64_t bytes, size_t last,
		      struct err *err)
{
	const struct source *s = v->s;
	size_t close = source_match(s, last);
	struct strbuf sb = STRBUF_INIT;
	uint64_t per = bytes && REMEDY_LINE % bytes == 0 ? REMEDY_LINE / bytes : 0;
	char *n = source_piece(s, last + 1, close - 1);
	int ret;

	if (!per || !declaration_is_zero(v)) {
		free(n);
		return err_set(err, -ENOTSUP,
			       "the rows of `%s` at %s:%u cannot be made whole lines by themselves", v->name,
			       v->f->name, s->at[v->m->name].line);
	}
	strbuf_printf(&sb, "((%s) + %llu) / %llu * %llu", n, (unsigned long long)per - 1,
		      (unsigned long long)per, (unsigned long long)per);
	ret = edits_add(e, s->at[last + 1].at, s->at[close].at - s->at[last + 1].at, sb.s, err);
	strbuf_release(&sb);
	free(n);
	if (!ret)
		ret = align(v, e, err);
	if (!ret)
		ret = declaration_edit_uses(v, e, "", 1, err);
	return ret ? ret
		   : declaration_assert(v, e, "sizeof(%s[0]) % 64 == 0 && __alignof__(%s) % 64 == 0", err);
}

/* Which member is whose is not known: each of a struct that is written out here begins a line. */
static int part_members(const struct declaration *v, struct edits *e, struct err *err)
{
	struct source_members ms;
	struct strbuf sb = STRBUF_INIT;
	int ret = 0;

	strbuf_printf(&sb, "%s ", patch_align(v->d));
	source_members(v->s, v->m->inner.open, v->m->inner.close, &ms);
	if (ms.n > PART_MEMBERS || ms.conditional)
		ret = err_set(err, -ENOTSUP, "the members of `%s` at %s:%u would all have to be moved apart",
			      v->name, v->f->name, v->s->at[v->m->name].line);
	for (size_t i = 0; i < ms.n && !ret; i++)
		if (ms.at[i].bit_field || ms.at[i].odd)
			ret = err_set(err, -ENOTSUP, "not all members of `%s` at %s:%u can be aligned",
				      v->name, v->f->name, v->s->at[v->m->name].line);
		else if (!ms.at[i].number)
			ret = edits_add(e, v->s->at[ms.at[i].first].at, 0, sb.s, err);
	source_members_release(&ms);
	strbuf_release(&sb);
	return ret;
}

static int change(const struct declaration *v, struct edits *e, const struct sharing_object *o, bool elements,
		  struct err *err)
{
	size_t last = 0;
	int ret = declaration_raise_alignment(v, e, err);

	if (ret)
		return ret;
	if (v->m->flexible && !elements)
		return err_set(err, -ENOTSUP, "`%s` has no bound", v->name);
	if (!elements) {
		ret = align(v, e, err);
		return ret ? ret : declaration_assert(v, e, "__alignof__(%s) % 64 == 0", err);
	}
	if (!declaration_dimensions(v, &last) && v->m->inner.open != SOURCE_NONE)
		return part_members(v, e, err);
	ret = check_array(v, o, err);
	if (ret)
		return ret;
	if (declaration_dimensions(v, &last) == 1)
		return wrap(v, e, 1, err);
	if (remedy_rows_apart(o))
		return widen_rows(v, e, o->n_uses ? o->uses[0].bytes : 0, last, err);
	if (remedy_elements(o) > REMEDY_ELEMENTS)
		return err_set(err, -ENOTSUP,
			       "threads meet within rows of `%s`, and a line for each of its "
			       "%llu elements would be a waste",
			       v->name, (unsigned long long)remedy_elements(o));
	return wrap(v, e, declaration_dimensions(v, &last), err);
}

char *patch_declared_type(struct patch *p, const struct sharing_object *o, bool *array)
{
	static const char *const words[] = {"const", "volatile", "static"};
	struct declaration v;
	char *type = NULL;
	size_t from, last;

	*array = false;
	if (o->file && !declaration_find(&v, p, o, NULL)) {
		from = declaration_behind_storage(&v);
		for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
			from += source_is(v.s, from, words[k]);
		/* What stands in front of `struct` is a macro for an attribute. */
		for (size_t i = from; i < (v.m - v.m->number)->declarator; i++)
			if (source_is(v.s, i, "struct") || source_is(v.s, i, "class"))
				from = i;
		if (v.m->inner.open == SOURCE_NONE && v.m->declarator == v.m->name &&
		    from < (v.m - v.m->number)->declarator)
			type = source_piece(v.s, from, (v.m - v.m->number)->declarator - 1);
		*array = declaration_dimensions(&v, &last) > 0;
		declaration_release(&v);
	}
	return type;
}

bool patch_declared_for(struct patch *p, const struct sharing_object *o, const char *type)
{
	struct declaration v;
	bool found = false;

	if (o->file && !declaration_find(&v, p, o, NULL))
		for (size_t i = v.m->first; i < v.m->end && !found; i++) {
			size_t close = source_is(v.s, i, "sizeof") ? source_match(v.s, i + 1) : SOURCE_NONE;

			found = close != SOURCE_NONE && source_is(v.s, close - 1, type);
		}
	if (o->file)
		declaration_release(&v);
	return found;
}

/* Change the declaration of @o, or only its alignment; nothing is changed if that fails. */
static int edit_declaration(struct patch *p, const struct sharing_object *o, bool elements,
			    bool only_alignment, struct err *err)
{
	struct declaration v;
	struct edits e;
	int ret = declaration_find(&v, p, o, err);

	if (!ret) {
		edits_copy(&e, &v.f->edits);
		ret = only_alignment ? declaration_raise_alignment(&v, &e, err)
				     : change(&v, &e, o, elements, err);
		if (!ret)
			edits_swap(&v.f->edits, &e);
		edits_release(&e);
	}
	declaration_release(&v);
	return ret;
}

int patch_variable(struct patch *p, const struct sharing_object *o, bool elements, struct err *err)
{
	return edit_declaration(p, o, elements, false, err);
}

void patch_alignment(struct patch *p, const struct sharing_object *o)
{
	struct err err = ERR_INIT;

	if (o->kind != OBJECT_HEAP && o->file)
		edit_declaration(p, o, false, true, &err);
}

/* True if a unit of the program was made from @f. */
static bool is_unit(struct patch *p, const struct patch_file *f)
{
	for (size_t m = 0; m < p->run->n_modules; m++)
		for (size_t i = 0; i < p->run->modules[m].sites.n_units; i++)
			if (patch_open(p, p->run->modules[m].sites.units[i].source) == f)
				return true;
	return false;
}

/* "app::hits" of its symbol; of a variable in a function its own name. */
static char *place_name(const struct declaration *v, const char *symbol)
{
	char *plain = demangle_short(symbol);

	if (plain && !strchr(plain, '('))
		return plain;
	free(plain);
	return mem_strdup(v->name);
}

static int check_place(const struct declaration *v, const struct sharing_object *o,
		       const struct run_symbol *symbol, struct err *err)
{
	if (v->m->flexible)
		return err_set(err, -ENOTSUP, "`%s` has no bound", v->name);
	if (!symbol->bytes)
		return err_set(err, -ENOTSUP, "the size of `%s` is not known", v->name);
	if (strchr("bdr", symbol->type) && !is_unit(v->p, v->f))
		return err_set(err, -ENOTSUP, "`%s` at %s:%u is static in a header, and each unit has one",
			       v->name, v->f->name, o->line);
	return 0;
}

int patch_variable_place(struct patch *p, const struct sharing_object *o, struct variable_place *out,
			 struct err *err)
{
	const struct run_symbol *symbol = o->ident;
	struct declaration v;
	int ret;

	if (o->kind != OBJECT_GLOBAL || !o->symbol)
		return err_set(err, -ENOTSUP, "`%s` lies on a stack or is a thread's own: no plan moves it",
			       o->name);
	ret = declaration_find(&v, p, o, err);
	if (!ret)
		ret = check_place(&v, o, symbol, err);
	if (!ret)
		*out = (struct variable_place){
			.name = place_name(&v, o->symbol),
			.file = v.f,
			.line = v.s->at[v.m->name].line,
			.bytes = symbol->bytes,
			.own = strchr("bdr", symbol->type) != NULL,
		};
	declaration_release(&v);
	return ret;
}
