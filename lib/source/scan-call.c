/* SPDX-License-Identifier: MIT */
/* What is a call, and where it begins. */
#include <string.h>

#include "lib/source/scan.h"

static const char *const no_calls[] = {"if",
				       "for",
				       "while",
				       "switch",
				       "catch",
				       "return",
				       "case",
				       "else",
				       "do",
				       "throw",
				       "goto",
				       "sizeof",
				       "alignof",
				       "_Alignof",
				       "__alignof__",
				       "alignas",
				       "_Alignas",
				       "typeof",
				       "__typeof__",
				       "typeid",
				       "decltype",
				       "noexcept",
				       "offsetof",
				       "__builtin_offsetof",
				       "static_assert",
				       "_Static_assert",
				       "__attribute__",
				       "__extension__",
				       "defined",
				       "and",
				       "or",
				       "not",
				       "static_cast",
				       "const_cast",
				       "reinterpret_cast",
				       "void",
				       "char",
				       "short",
				       "int",
				       "long",
				       "float",
				       "double",
				       "bool",
				       "_Bool",
				       "unsigned",
				       "signed",
				       "co_return",
				       "co_yield",
				       "co_await",
				       NULL};

static const char *const plain_types[] = {
	"void",     "char",     "short",    "int",       "long",     "float",   "double",  "bool",
	"_Bool",    "unsigned", "signed",   "const",     "volatile", "struct",  "union",   "enum",
	"size_t",   "ssize_t",  "int8_t",   "int16_t",   "int32_t",  "int64_t", "uint8_t", "uint16_t",
	"uint32_t", "uint64_t", "intptr_t", "uintptr_t", NULL};

/* (int), (struct job *), (unsigned char): a conversion, not a function in brackets. */
static bool is_cast(const struct scan *c, size_t open, size_t close)
{
	bool known = false;

	if (close == open + 1)
		return false;
	for (size_t i = open + 1; i < close; i++) {
		if (source_is_any(c->s, i, plain_types))
			known = true;
		else if (!source_is_word(c->s, i) && !source_is(c->s, i, "*"))
			return false;
	}
	return known || source_is(c->s, close - 1, "*");
}

/* The '<' that '>' at @i closes, if what is between them looks like types; SOURCE_NONE else. */
static size_t angle_open(const struct scan *c, size_t i)
{
	int depth = 0;

	for (unsigned n = 0; n < 64; n++, i--) {
		const struct token *t = &c->s->at[i];

		depth += source_is(c->s, i, ">") - source_is(c->s, i, "<");
		if (!depth)
			return i && source_is_word(c->s, i - 1) ? i : SOURCE_NONE;
		if (!i || (t->kind == TOKEN_SIGN && !strchr("<>,*&:", c->s->text[t->at])))
			break;
	}
	return SOURCE_NONE;
}

static bool heads_control(const struct scan *c, size_t open)
{
	static const char *const words[] = {"if", "for", "while", "switch", "catch", "constexpr", NULL};

	return open && source_is_any(c->s, open - 1, words);
}

bool scan_opens_call(const struct scan *c, size_t i)
{
	const struct source *s = c->s;
	size_t p = i - 1, m;

	if (!source_is(s, i, "(") || !i)
		return false;
	m = source_match(s, p);
	if (source_is_word(s, p))
		return !source_is_any(c->s, p, no_calls);
	if (source_is(s, p, ")"))
		return m == SOURCE_NONE || (!is_cast(c, m, p) && !heads_control(c, m));
	if (source_is(s, p, ">")) {
		m = angle_open(c, p);
		return m != SOURCE_NONE && !source_is_any(c->s, m - 1, no_calls);
	}
	return source_is(s, p, "]") || source_is(s, p, "}");
}

/* The first token of the primary expression that ends at @i; SOURCE_NONE: not understood. */
static size_t primary_first(const struct scan *c, size_t i)
{
	const struct source *s = c->s;

	for (;;) {
		size_t m = source_match(s, i);

		if (source_is(s, i, "]") || source_is(s, i, ")")) {
			if (m == SOURCE_NONE || m > i)
				return SOURCE_NONE;
			if (!m || (source_is(s, i, ")") && !scan_opens_call(c, m)))
				return source_is(s, i, ")") ? m : SOURCE_NONE;
			i = m - 1;
		} else if (source_is(s, i, ">")) {
			i = angle_open(c, i);
			if (i == SOURCE_NONE)
				return SOURCE_NONE;
			i--;
		} else {
			return source_is_word(s, i) || s->at[i].kind == TOKEN_TEXT ? i : SOURCE_NONE;
		}
	}
}

/* Back from the name of what is called over `a.b->`, `n::m::`, `p[i].`. */
static size_t postfix_first(const struct scan *c, size_t name)
{
	const struct source *s = c->s;
	size_t i = primary_first(c, name);

	while (i != SOURCE_NONE && i) {
		if (source_is(s, i - 1, "::")) {
			if (i < 2 || !(source_is_word(s, i - 2) || source_is(s, i - 2, ">")) ||
			    source_is_any(c->s, i - 2, no_calls))
				return i - 1;
		} else if (!source_is(s, i - 1, ".") && !source_is(s, i - 1, "->")) {
			return i;
		}
		i = i < 2 ? SOURCE_NONE : primary_first(c, i - 2);
	}
	return i;
}

bool scan_call(const struct scan *c, size_t i, struct scan_call *out)
{
	size_t name = i ? i - 1 : 0;

	if (!i || source_match(c->s, i) == SOURCE_NONE)
		return false;
	if (source_is(c->s, name, ">")) {
		name = angle_open(c, name);
		if (name == SOURCE_NONE || !name)
			return false;
		name--;
	}
	*out = (struct scan_call){postfix_first(c, i - 1), name, i, source_match(c->s, i)};
	return out->first != SOURCE_NONE && out->close > i;
}

/* Does the text declare the name of token @i as `type name [` (@sign "[") or `type * name`? */
static bool scan_call_declared(const struct scan *c, size_t i, const char *sign)
{
	const struct source *s = c->s;
	bool array = *sign == '[';

	for (size_t k = 2; k + 1 < s->n; k++) {
		if (s->at[k].len != s->at[i].len || !source_is_word(s, k) ||
		    memcmp(s->text + s->at[k].at, s->text + s->at[i].at, s->at[i].len))
			continue;
		if (array && source_is(s, k + 1, "[") && source_is_word(s, k - 1) &&
		    (source_is_any(c->s, k - 1, plain_types) || !source_is_any(c->s, k - 1, no_calls)))
			return true;
		if (!array && source_is(s, k - 1, "*") &&
		    (source_is_word(s, k - 2) || source_is(s, k - 2, ">")))
			return true;
	}
	return false;
}

static bool in_cast(const struct scan *c, size_t i)
{
	static const char *const words[] = {"static_cast", "const_cast", "reinterpret_cast", NULL};
	size_t p = scan_parent(c, i), m = source_match(c->s, p);

	if (source_is(c->s, p, "(") && m != SOURCE_NONE && !scan_opens_call(c, p) && is_cast(c, p, m))
		return true;
	/* Back to the '<' of a conversion, which the text between cannot contain. */
	for (size_t k = i + 1; k-- > 1 && k + 32 > i;) {
		if (source_is(c->s, k, "<"))
			return source_is_any(c->s, k - 1, words);
		if (source_is(c->s, k, "(") || source_is(c->s, k, ";") || (k < i && source_is(c->s, k, ">")))
			break;
	}
	return false;
}

/* A number, or a name that the text declares as one and as nothing else. */
static bool is_built_in(const struct scan *c, size_t i)
{
	const struct source *s = c->s;
	bool known = false;

	if (i >= s->n || s->at[i].kind == TOKEN_NUMBER)
		return i < s->n;
	/* A member has the type of somebody else's declaration. */
	if (!source_is_word(s, i) || source_is(s, i - 1, ".") || source_is(s, i - 1, "->") ||
	    source_is(s, i - 1, "::") || source_is(s, i + 1, "(") || source_is(s, i + 1, "::") ||
	    source_is(s, i + 1, ".") || source_is(s, i + 1, "->"))
		return false;
	for (size_t k = 1; k < s->n; k++) {
		if (s->at[k].len != s->at[i].len || !source_is_word(s, k) ||
		    memcmp(s->text + s->at[k].at, s->text + s->at[i].at, s->at[i].len))
			continue;
		if (source_is_any(c->s, k - 1, plain_types) && !source_is(s, k - 1, "const"))
			known = true;
		else if ((source_is_word(s, k - 1) && !source_is_any(c->s, k - 1, no_calls)) ||
			 source_is(s, k - 1, ">"))
			return false;
	}
	return known;
}

bool scan_may_be_function(const struct scan *c, size_t i)
{
	static const char *const words[] = {"new", "delete", "co_await", "co_yield", "throw", NULL};
	static const char *const signs[] = {"+", "-", "/", "%", "^", "~", "<", ">", "|", "*", NULL};
	const struct source *s = c->s;

	if (!s->cxx || !i)
		return false;
	if (source_is_any(c->s, i, words))
		return true;
	if (s->at[i].kind != TOKEN_SIGN)
		return false;
	if (source_is(s, i, "["))
		return !source_is_word(s, i - 1) || !scan_call_declared(c, i - 1, "[");
	if (source_is(s, i, "->"))
		return !source_is(s, i - 1, "this") &&
		       (!source_is_word(s, i - 1) || !scan_call_declared(c, i - 1, "*"));
	return source_is_any(c->s, i, signs) && !in_cast(c, i) &&
	       !(is_built_in(c, i - 1) && is_built_in(c, i + 1));
}
