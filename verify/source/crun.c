/* SPDX-License-Identifier: MIT */
/* Declarations and statements. */
#include "verify/source/crun.h"

#include <stdlib.h>
#include <string.h>

#define INSIDE_MAX 60

int crun_bad(struct crun *r, const char *what)
{
	const struct token *t = &r->t.token[r->at < r->t.n ? r->at : r->t.n];

	return fault_set(r->f, "%s line %u: %s", r->t.file[t->file], t->line, what);
}

bool crun_is(const struct crun *r, const char *sign)
{
	const struct token *t = &r->t.token[r->at];

	return (t->kind == TOKEN_SIGN || t->kind == TOKEN_NAME) && !strcmp(t->s, sign);
}

bool crun_take(struct crun *r, const char *sign)
{
	bool there = crun_is(r, sign);

	r->at += there;
	return there;
}

int crun_expect(struct crun *r, const char *sign)
{
	char what[64] = "expected '";

	if (crun_take(r, sign))
		return 0;
	return crun_bad(r, strcat(strncat(what, sign, 8), "'"));
}

static const struct {
	const char *name;
	uint32_t bits;
} numbers[] = {
	{"uint8_t", 8}, {"uint16_t", 16}, {"uint32_t", 32}, {"uint64_t", 64},
	{"bool", 1},    {"char", 8},      {"int", 32},
};

static bool is_word(const struct crun *r)
{
	static const char *const words[] = {"static", "extern", "const", "struct", "void"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (crun_is(r, words[i]))
			return true;
	return false;
}

bool crun_begins_type(const struct crun *r)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (crun_is(r, numbers[i].name))
			return true;
	return is_word(r);
}

size_t crun_cells(const struct crun *r, const struct ctype *type)
{
	size_t one = type->st && !type->stars ? r->st[type->st - 1].cells : 1;

	return type->n ? one * type->n : one;
}

/* Type without what stands behind the name. */
int crun_type(struct crun *r, struct ctype *type)
{
	*type = (struct ctype){0};
	while (crun_take(r, "static") || crun_take(r, "extern") || crun_take(r, "const"))
		;
	if (crun_take(r, "struct")) {
		for (uint32_t i = 0; i < r->n_structs; i++)
			if (crun_is(r, r->st[i].name))
				type->st = i + 1;
		if (!type->st)
			return crun_bad(r, "an unknown structure");
		r->at++;
	} else if (!crun_take(r, "void")) {
		for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers) && !type->bits; i++)
			if (crun_take(r, numbers[i].name))
				type->bits = numbers[i].bits;
		if (!type->bits)
			return crun_bad(r, "a type that generated code does not have");
	}
	while (crun_is(r, "*") || crun_is(r, "const"))
		type->stars += *r->t.token[r->at++].s == '*';
	return 0;
}

int crun_name(struct crun *r, const char **name)
{
	*name = NULL;
	if (r->t.token[r->at].kind != TOKEN_NAME || crun_begins_type(r))
		return crun_bad(r, "expected a name");
	*name = r->t.token[r->at++].s;
	return 0;
}

/* A constant in brackets behind the name, if there is one. */
int crun_bounds(struct crun *r, struct ctype *type)
{
	struct cvalue v;

	if (!crun_take(r, "["))
		return 0;
	if (crun_expression(r, &v) || crun_expect(r, "]"))
		return -1;
	if (v.is_place || !v.type.bits || !v.n || v.n > CRUN_CELLS)
		return crun_bad(r, "an array of unknown or unfit size");
	type->n = (uint32_t)v.n;
	return 0;
}

int crun_reserve(struct crun *r, const struct ctype *type, size_t *cell)
{
	size_t n = crun_cells(r, type);

	if ((!type->bits && !type->st && !type->stars) || n > CRUN_CELLS - r->n_cells)
		return crun_bad(r, "a variable of unfit type or size");
	while (r->n_cells + n > r->room) {
		r->room = r->room ? 2 * r->room : 1024;
		r->cell = realloc(r->cell, r->room * sizeof(*r->cell));
		if (!r->cell)
			abort();
	}
	memset(r->cell + r->n_cells, 0, n * sizeof(*r->cell));
	*cell = r->n_cells;
	r->n_cells += n;
	return 0;
}

static int structure(struct crun *r)
{
	struct cstruct s = {0};
	struct ctype type;
	const char *name;

	if (crun_name(r, &s.name) || crun_expect(r, "{"))
		return -1;
	r->st = need_more(r->st, r->n_structs, sizeof(s));
	r->st[r->n_structs++] = s;
	while (!crun_take(r, "}")) {
		struct cstruct *now = &r->st[r->n_structs - 1];

		if (crun_type(r, &type) || crun_name(r, &name) || crun_bounds(r, &type) ||
		    crun_expect(r, ";"))
			return -1;
		if (type.st == r->n_structs && !type.stars)
			return crun_bad(r, "a structure inside itself");
		now->field = need_more(now->field, now->n, sizeof(*now->field));
		now->field[now->n++] = (struct cfield){name, type, now->cells};
		now->cells += crun_cells(r, &type);
		if (now->cells > CRUN_CELLS)
			return crun_bad(r, "a structure of unfit size");
	}
	return crun_expect(r, ";");
}

static int initial(struct crun *r, struct ctype type, size_t cell);

static int initial_value(struct crun *r, size_t cell)
{
	struct cvalue v;

	if (r->t.token[r->at].kind == TOKEN_TEXT) {
		r->at++; /* the plan's hash, which no function uses */
		return 0;
	}
	if (crun_expression(r, &v))
		return -1;
	r->cell[cell] = v.type.n ? v.cell + 1 : v.is_place ? r->cell[v.cell] : v.n;
	return 0;
}

/* "[INDEX] =" or ".NAME =" before an element, or the next one. */
static int designator(struct crun *r, struct ctype type, size_t *i)
{
	struct cvalue v;
	const char *name;

	if (crun_take(r, "[")) {
		if (crun_expression(r, &v) || crun_expect(r, "]"))
			return -1;
		*i = (size_t)v.n;
		return crun_expect(r, "=");
	}
	if (!crun_take(r, "."))
		return 0;
	if (crun_name(r, &name) || !type.st)
		return crun_bad(r, "a member of something that is no structure");
	for (*i = 0; *i < r->st[type.st - 1].n && strcmp(r->st[type.st - 1].field[*i].name, name);)
		++*i;
	return crun_expect(r, "=");
}

static int initial_list(struct crun *r, struct ctype type, size_t cell)
{
	const struct cstruct *s = type.st && !type.stars ? &r->st[type.st - 1] : NULL;
	struct ctype one = type;

	one.n = 0;
	for (size_t i = 0; !crun_take(r, "}"); i++) {
		if (designator(r, type, &i))
			return -1;
		if (i >= (type.n ? type.n : s ? s->n : 1))
			return crun_bad(r, "more values than there is room for");
		if (!type.n && s ? initial(r, s->field[i].type, cell + s->field[i].offset)
				 : initial(r, one, cell + i * crun_cells(r, &one)))
			return -1;
		if (!crun_take(r, ",") && !crun_is(r, "}"))
			return crun_bad(r, "expected ',' or '}'");
	}
	return 0;
}

static int initial(struct crun *r, struct ctype type, size_t cell)
{
	int ret;

	if (++r->depth > INSIDE_MAX)
		return crun_bad(r, "values inside values inside values");
	ret = crun_take(r, "{") ? initial_list(r, type, cell) : initial_value(r, cell);
	r->depth--;
	return ret;
}

int crun_skip_pair(struct crun *r, const char *open, const char *close)
{
	size_t deep = 0;

	do {
		if (r->t.token[r->at].kind == TOKEN_END)
			return crun_bad(r, "something is open at the end of the source");
		deep += crun_is(r, open);
		deep -= crun_is(r, close);
		r->at++;
	} while (deep);
	return 0;
}

static int add_function(struct crun *r, const char *name, struct ctype type, bool is_public)
{
	struct cfunction f = {.name = name, .parameters = r->at, .type = type, .is_public = is_public};

	if (crun_skip_pair(r, "(", ")"))
		return -1;
	if (!crun_take(r, ";")) {
		f.body = r->at;
		if (!crun_is(r, "{"))
			return crun_bad(r, "expected the body of a function");
		if (crun_skip_pair(r, "{", "}"))
			return -1;
	}
	for (size_t i = 0; i < r->n_functions; i++)
		if (!strcmp(r->function[i].name, name)) {
			if (!f.body)
				return 0;
			if (r->function[i].body)
				return crun_bad(r, "a function is defined twice");
			r->function[i] = f;
			return 0;
		}
	r->function = need_more(r->function, r->n_functions, sizeof(f));
	r->function[r->n_functions++] = f;
	return 0;
}

/* A variable of the file; one declared before keeps its memory. */
static int add_global(struct crun *r, const char *name, struct ctype type)
{
	struct cvariable v = {.name = name, .type = type};
	size_t i = 0;

	while (i < r->n_globals && strcmp(r->global[i].name, name))
		i++;
	if (i < r->n_globals) {
		v = r->global[i];
	} else {
		if (crun_reserve(r, &type, &v.cell))
			return -1;
		r->global = need_more(r->global, r->n_globals, sizeof(v));
		r->global[r->n_globals++] = v;
	}
	if (crun_take(r, "=") && initial(r, v.type, v.cell))
		return -1;
	return crun_expect(r, ";");
}

static int declaration(struct crun *r)
{
	struct ctype type;
	const char *name;
	size_t begin = r->at;
	bool is_public = !crun_is(r, "static");

	if (crun_take(r, "struct") && r->t.token[r->at].kind == TOKEN_NAME) {
		r->at++;
		if (crun_is(r, "{")) {
			r->at--;
			return structure(r);
		}
	}
	r->at = begin;
	if (crun_type(r, &type) || crun_name(r, &name))
		return -1;
	if (crun_is(r, "("))
		return add_function(r, name, type, is_public);
	return crun_bounds(r, &type) || add_global(r, name, type) ? -1 : 0;
}

static int crun_by_name(const void *a, const void *b)
{
	return strcmp(((const struct cfunction *)a)->name, ((const struct cfunction *)b)->name);
}

int crun_read(struct crun *r, const char *path, struct fault *f)
{
	*r = (struct crun){.f = f};
	if (tokens_read(&r->t, path, f))
		return -1;
	while (r->t.token[r->at].kind != TOKEN_END)
		if (declaration(r))
			return -1;
	if (r->n_functions)
		qsort(r->function, r->n_functions, sizeof(*r->function), crun_by_name);
	r->n_static = r->n_cells;
	r->fresh = need(r->n_static, sizeof(*r->fresh));
	if (r->n_static)
		memcpy(r->fresh, r->cell, r->n_static * sizeof(*r->fresh));
	return 0;
}

void crun_restart(struct crun *r)
{
	if (r->n_static)
		memcpy(r->cell, r->fresh, r->n_static * sizeof(*r->fresh));
	r->n_cells = r->n_static;
}

void crun_release(struct crun *r)
{
	for (size_t i = 0; i < r->n_structs; i++)
		free(r->st[i].field);
	free(r->st);
	free(r->global);
	free(r->local);
	free(r->function);
	free(r->cell);
	free(r->fresh);
	tokens_release(&r->t);
	*r = (struct crun){0};
}

const struct cfunction *crun_find(const struct crun *r, const char *name)
{
	struct cfunction key = {.name = name};

	return r->n_functions ? bsearch(&key, r->function, r->n_functions, sizeof(key), crun_by_name) : NULL;
}

bool crun_defines(const struct crun *r, const char *name)
{
	const struct cfunction *f = crun_find(r, name);

	return f && f->body;
}

uint64_t *crun_field(struct crun *r, const char *name, size_t i, const char *field)
{
	for (size_t k = 0; k < r->n_globals; k++) {
		const struct cvariable *v = &r->global[k];
		const struct cstruct *s = v->type.st ? &r->st[v->type.st - 1] : NULL;

		if (!s || v->type.stars || strcmp(v->name, name) || i >= (v->type.n ? v->type.n : 1))
			continue;
		for (size_t m = 0; m < s->n; m++)
			if (!strcmp(s->field[m].name, field))
				return &r->cell[v->cell + i * s->cells + s->field[m].offset];
	}
	return NULL;
}

size_t crun_elements(struct crun *r, const char *name, const char *field)
{
	for (size_t k = 0; k < r->n_globals; k++) {
		const struct cvariable *v = &r->global[k];
		const struct cstruct *s = v->type.st ? &r->st[v->type.st - 1] : NULL;

		for (size_t m = 0; s && !v->type.stars && !strcmp(v->name, name) && m < s->n; m++)
			if (!strcmp(s->field[m].name, field))
				return s->field[m].type.n;
	}
	return 0;
}
