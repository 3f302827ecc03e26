/* SPDX-License-Identifier: MIT */
#include "lib/source/scan.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"

size_t scan_parent(const struct scan *c, size_t i)
{
	return i < c->s->n ? c->parent[i] : SOURCE_NONE;
}

static bool is_directive(const struct scan *c, size_t i)
{
	return i < c->s->n && c->s->at[i].kind == TOKEN_DIRECTIVE;
}

/* The token before @i that is no preprocessor line; SOURCE_NONE: none. */
static size_t scan_before(const struct scan *c, size_t i)
{
	while (i-- > 0)
		if (!is_directive(c, i))
			return i;
	return SOURCE_NONE;
}

/* The '(' of the parameters of a lambda whose body is the '{' @b, or its ']' if it has none; SOURCE_NONE: no lambda. */
static size_t lambda_head(const struct scan *c, size_t b)
{
	const struct source *s = c->s;
	size_t k = scan_before(c, b);

	/* Back over `mutable`, `noexcept`, `-> type`. */
	for (unsigned n = 0; n < 32 && k != SOURCE_NONE; n++) {
		size_t m = source_match(s, k);

		if (source_is(s, k, "]"))
			break;
		if (source_is(s, k, ")") && m != SOURCE_NONE && m && source_is(s, m - 1, "]")) {
			k = m - 1;
			break;
		}
		if (source_is(s, k, ")") && m != SOURCE_NONE && m && source_is(s, m - 1, "noexcept"))
			k = m - 1;
		else if (!source_is_word(s, k) && !source_is(s, k, "->") && !source_is(s, k, "::") &&
			 !source_is(s, k, "<") && !source_is(s, k, ">") && !source_is(s, k, "*") &&
			 !source_is(s, k, "&"))
			return SOURCE_NONE;
		k = scan_before(c, k);
	}
	if (!s->cxx || k == SOURCE_NONE || !source_is(s, k, "]") || source_match(s, k) == SOURCE_NONE)
		return SOURCE_NONE;
	/* What stands behind a name is an index. */
	k = source_match(s, k);
	return k && (source_is_word(s, k - 1) || source_is(s, k - 1, "]") || source_is(s, k - 1, ")")) &&
			       !source_is(s, k - 1, "return")
		       ? SOURCE_NONE
		       : k;
}

/* The first token of what ends at token @i, at one level of brackets. */
static size_t statement_first(const struct scan *c, size_t i)
{
	const struct source *s = c->s;

	while (i > 0) {
		size_t p = i - 1, m = source_match(s, p);

		if (source_is(s, p, ";") || source_is(s, p, "{") || source_is(s, p, "}") ||
		    is_directive(c, p))
			return i;
		if (source_is(s, p, "(") || source_is(s, p, "["))
			return i;
		if ((source_is(s, p, ")") || source_is(s, p, "]")) && m != SOURCE_NONE)
			p = m;
		/* `public:` and its like */
		if (source_is(s, p, ":") && p && source_is_word(s, p - 1) && c->parent[p] != SOURCE_NONE &&
		    c->kind[c->parent[p]] == SCAN_TYPE && source_is(s, c->parent[p], "{"))
			return i;
		i = p;
	}
	return i;
}

static const char *const attribute_words[] = {"__attribute__", "__attribute", "alignas",
					      "_Alignas",      "noexcept",    "decltype",
					      "throw",         "requires",    NULL};
static const char *const type_words[] = {"struct", "class", "union", "enum", NULL};

/* A '{' outside of functions. */
static enum scan_brace outer_brace(const struct scan *c, size_t b)
{
	const struct source *s = c->s;
	size_t first = statement_first(c, b);
	bool type = false;

	if (lambda_head(c, b) != SOURCE_NONE)
		return SCAN_LAMBDA;
	for (size_t i = first; i < b; i++) {
		size_t m = source_match(s, i);

		if (source_is(s, i, "namespace"))
			return SCAN_SCOPE;
		if (source_is(s, i, "extern") && i + 2 == b && s->at[i + 1].kind == TOKEN_TEXT)
			return SCAN_SCOPE;
		if (source_is(s, i, "operator"))
			return SCAN_FUNCTION;
		if (source_is(s, i, "="))
			return SCAN_VALUE;
		type |= source_is_any(c->s, i, type_words);
		if (!source_is(s, i, "(") || m == SOURCE_NONE || m > b)
			continue;
		if (!i || !source_is_any(c->s, i - 1, attribute_words))
			return SCAN_FUNCTION;
		i = m;
	}
	return type ? SCAN_TYPE : SCAN_VALUE;
}

static bool is_control(const struct scan *c, size_t i)
{
	static const char *const words[] = {"if", "for", "while", "switch", "catch", NULL};

	if (source_is(c->s, i, "constexpr") && i)
		i--;
	return source_is_any(c->s, i, words);
}

/* Does the statement that leads to @b define a type? */
static bool defines_type(const struct scan *c, size_t b)
{
	for (size_t i = statement_first(c, b); i < b; i++) {
		if (source_is(c->s, i, "(") || source_is(c->s, i, "="))
			return false;
		if (source_is_any(c->s, i, type_words))
			return true;
	}
	return false;
}

/* A '{' in a function, directly in a block. */
static enum scan_brace inner_brace(const struct scan *c, size_t b)
{
	static const char *const starts[] = {";", "{", "}", ":", "else", "do", "try", NULL};
	const struct source *s = c->s;
	size_t p = scan_before(c, b), m;

	if (p == SOURCE_NONE || source_is_any(c->s, p, starts))
		return SCAN_BLOCK;
	if (lambda_head(c, b) != SOURCE_NONE)
		return SCAN_LAMBDA;
	m = source_match(s, p);
	if (source_is(s, p, ")") && m != SOURCE_NONE && m) {
		if (is_control(c, m - 1))
			return SCAN_BLOCK;
		/* A loop of a macro. */
		if (source_is_word(s, m - 1) && statement_first(c, m) == m - 1)
			return SCAN_BLOCK;
		return SCAN_VALUE;
	}
	return defines_type(c, b) ? SCAN_TYPE : SCAN_VALUE;
}

/* A '{' in parentheses: GNU's ({ ... }), a lambda, or a value. */
static enum scan_brace nested_brace(const struct scan *c, size_t b)
{
	size_t end = source_match(c->s, b);

	if (lambda_head(c, b) != SOURCE_NONE)
		return SCAN_LAMBDA;
	if (b && source_is(c->s, b - 1, "(") && end != SOURCE_NONE && end > b + 1 &&
	    (source_is(c->s, end - 1, ";") || source_is(c->s, end - 1, "}")))
		return SCAN_BLOCK;
	return SCAN_VALUE;
}

static enum scan_brace classify(const struct scan *c, size_t b)
{
	size_t p = c->parent[b];

	if (p == SOURCE_NONE)
		return outer_brace(c, b);
	if (!source_is(c->s, p, "{"))
		return nested_brace(c, b);
	switch (c->kind[p]) {
	case SCAN_SCOPE:
	case SCAN_TYPE:
		return outer_brace(c, b);
	case SCAN_FUNCTION:
	case SCAN_LAMBDA:
	case SCAN_BLOCK:
		return inner_brace(c, b);
	case SCAN_VALUE:
	default:
		return lambda_head(c, b) != SOURCE_NONE ? SCAN_LAMBDA : SCAN_VALUE;
	}
}

static bool opens(const struct scan *c, size_t i)
{
	size_t m = source_match(c->s, i);

	return m != SOURCE_NONE && m > i;
}

void scan_init(struct scan *c, const struct source *s)
{
	size_t up = SOURCE_NONE, body = SOURCE_NONE;

	*c = (struct scan){.s = s};
	c->parent = mem_new(s->n + 1, sizeof(*c->parent));
	c->body = mem_new(s->n + 1, sizeof(*c->body));
	c->kind = mem_new(s->n + 1, sizeof(*c->kind));
	for (size_t i = 0; i < s->n; i++) {
		size_t m = source_match(s, i);

		if (m != SOURCE_NONE && m < i) {
			up = c->parent[m];
			body = c->body[m];
		}
		c->parent[i] = up;
		c->body[i] = body;
		if (!opens(c, i))
			continue;
		up = i;
		if (!source_is(s, i, "{"))
			continue;
		c->kind[i] = classify(c, i);
		if (c->kind[i] == SCAN_FUNCTION || c->kind[i] == SCAN_LAMBDA)
			body = i;
	}
}

void scan_release(struct scan *c)
{
	free(c->parent);
	free(c->body);
	free(c->kind);
	*c = (struct scan){0};
}

size_t scan_function_first(const struct scan *c, size_t open)
{
	return statement_first(c, open);
}

size_t scan_function_name(const struct scan *c, size_t open)
{
	const struct source *s = c->s;

	/* The first brackets that are not an attribute's are the parameters. */
	for (size_t i = statement_first(c, open); i < open; i++) {
		size_t m = source_match(s, i);

		if (source_is(s, i, "operator"))
			return SOURCE_NONE;
		if (!source_is(s, i, "(") || m == SOURCE_NONE)
			continue;
		if (!i || !source_is_word(s, i - 1))
			return SOURCE_NONE;
		if (!source_is_any(c->s, i - 1, attribute_words))
			return i - 1;
		i = m;
	}
	return SOURCE_NONE;
}

/* A preprocessor line of a condition: 'i' opens, 'e' is another branch, 'n' ends; 0: none. */
static char scan_condition(const struct scan *c, size_t i)
{
	const char *p = c->s->text + c->s->at[i].at + 1;

	if (!is_directive(c, i))
		return 0;
	p += strspn(p, " \t");
	return !strncmp(p, "if", 2) ? 'i' : !strncmp(p, "endif", 5) ? 'n' : !strncmp(p, "el", 2) ? 'e' : 0;
}

static bool same_kind(const struct scan *c, size_t i)
{
	const char *open = strchr("(){}[]", c->s->text[c->s->at[i].at]);
	size_t m = source_match(c->s, i);

	return open && m != SOURCE_NONE && c->s->text[c->s->at[m].at] == open[1];
}

const char *scan_distrust(const struct scan *c, size_t open)
{
	struct {
		size_t *at;
		size_t n, cap;
	} around = VEC_INIT;
	size_t close = source_match(c->s, open);
	const char *why = close == SOURCE_NONE ? "its brackets do not pair" : NULL;

	for (size_t i = open; !why && i < close; i++) {
		char what = scan_condition(c, i);
		size_t parent = c->parent[i];

		if ((source_is(c->s, i, "(") || source_is(c->s, i, "{") || source_is(c->s, i, "[")) &&
		    !same_kind(c, i))
			why = "its brackets do not pair";
		if (what == 'i')
			vec_push(&around, parent);
		else if (what && !around.n)
			why = "a condition of the preprocessor begins outside of it";
		else if (what && around.at[around.n - 1] != parent)
			why = "its brackets open and close under different conditions of the preprocessor";
		if (what == 'n' && !why)
			around.n--;
	}
	if (!why && around.n)
		why = "a condition of the preprocessor ends outside of it";
	vec_release(&around);
	return why;
}
