/* SPDX-License-Identifier: MIT */
#include "lib/source/alloc.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* "malloc", "xcalloc", "POOL_ALLOC", "g_new0". */
static bool is_alloc_word(const struct source *s, size_t i)
{
	const char *text = s->text + s->at[i].at;

	if (!source_is_word(s, i) || !source_is(s, i + 1, "("))
		return false;
	for (size_t k = 0; k + 5 <= s->at[i].len; k++)
		if (!strncasecmp(text + k, "alloc", 5))
			return true;
	return s->at[i].len > 3 && !strncasecmp(text, "g_new", 5);
}

static bool is_end(const struct source *s, size_t i)
{
	return source_is(s, i, ";") || source_is(s, i, "{") || source_is(s, i, "}") ||
	       s->at[i].kind == TOKEN_DIRECTIVE;
}

/* The tokens [@from, @to) of the statement around token @i. */
static void statement(const struct source *s, size_t i, size_t *from, size_t *to)
{
	for (*from = i; *from && !is_end(s, *from - 1); (*from)--)
		;
	for (*to = i; *to < s->n && !is_end(s, *to); (*to)++)
		;
}

static bool has(const struct source *s, size_t from, size_t to, const char *word)
{
	for (size_t i = from; i < to; i++)
		if (source_is(s, i, word))
			return true;
	return false;
}

/* A macro in capitals with the type among its arguments. */
static bool macro_of(const struct source *s, size_t from, size_t to, const char *type)
{
	for (size_t i = from; i < to; i++) {
		bool capitals = source_is_word(s, i) && source_is(s, i + 1, "(") && s->at[i].len > 1;

		for (size_t k = 0; capitals && k < s->at[i].len; k++)
			capitals = !islower((unsigned char)s->text[s->at[i].at + k]);
		if (capitals && source_match(s, i + 1) != SOURCE_NONE &&
		    has(s, i + 2, source_match(s, i + 1), type))
			return true;
	}
	return false;
}

/* A type of numbers, or a word of its name. */
static bool is_number(const struct source *s, size_t i)
{
	static const char *const words[] = {
		"char",    "short",   "int",     "long",     "signed",   "unsigned", "float",    "double",
		"_Bool",   "bool",    "const",   "volatile", "size_t",   "ssize_t",  "int8_t",   "int16_t",
		"int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "intptr_t", "uintptr_t",
		"std",     "::",      "uint",    "ulong",    "byte",
	};

	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
		if (source_is(s, i, words[k]))
			return true;
	return false;
}

/* "sizeof(long)", and @type is another one: it does not grow with the type. */
static bool is_size_of_number(const struct source *s, size_t i, const char *type)
{
	size_t close = source_is(s, i + 1, "(") ? source_match(s, i + 1) : SOURCE_NONE;

	if (close == SOURCE_NONE || close == i + 2)
		return false;
	for (size_t k = i + 2; k < close; k++)
		if (source_is(s, k, type) || !is_number(s, k))
			return false;
	return true;
}

static bool sized(const struct source *s, size_t from, size_t to, const char *type)
{
	for (size_t i = from; i < to; i++)
		if (source_is(s, i, "sizeof") && !is_size_of_number(s, i, type))
			return true;
	return macro_of(s, from, to, type);
}

static bool line_sized(const struct source *s, uint32_t line, const char *type, bool named)
{
	for (size_t i = 0; i < s->n; i++) {
		size_t from, to;

		if (s->at[i].line != line)
			continue;
		statement(s, i, &from, &to);
		if (sized(s, from, to, type) && (!named || has(s, from, to, type)))
			return true;
	}
	return false;
}

bool source_sized(const struct source *s, uint32_t line, const char *type)
{
	return line_sized(s, line, type, false);
}

bool source_sized_by(const struct source *s, uint32_t line, const char *name)
{
	return line_sized(s, line, name, true);
}

static bool same_word(const struct source *s, size_t a, size_t b)
{
	return source_is_word(s, a) && s->at[a].len == s->at[b].len &&
	       !memcmp(s->text + s->at[a].at, s->text + s->at[b].at, s->at[a].len);
}

/* The type of the pointer declared at @i: T of "T *w", and of "T *v, *w"; SOURCE_NONE: it is no such declaration. */
static size_t pointed_type(const struct source *s, size_t i)
{
	size_t k = i;

	while (k && (source_is(s, k - 1, "*") || source_is(s, k - 1, "const") ||
		     source_is(s, k - 1, "restrict") || source_is(s, k - 1, "volatile")))
		k--;
	if (k == i || !k)
		return SOURCE_NONE;
	while (k && source_is(s, k - 1, ",")) {
		while (k && !is_end(s, k - 1) && !source_is(s, k - 1, "*"))
			k--;
		while (k && source_is(s, k - 1, "*"))
			k--;
	}
	return k && source_is_word(s, k - 1) ? k - 1 : SOURCE_NONE;
}

/* True if the word at @i is a pointer to @type by the declaration before it that is nearest. */
static bool points_to(const struct source *s, size_t i, const char *type)
{
	for (size_t k = i + 1; k-- > 0;) {
		size_t of = same_word(s, k, i) ? pointed_type(s, k) : SOURCE_NONE;

		/* "return *p" and the like multiply or fetch. */
		if (of != SOURCE_NONE && !source_is(s, of, "return") && !source_is(s, of, "sizeof"))
			return source_is(s, of, type);
	}
	return false;
}

/* "p = malloc(..)", "q->p = realloc(..)": p. */
static bool assigns_to(const struct source *s, size_t from, size_t i, const char *type)
{
	while (i > from && !source_is(s, i, "="))
		i--;
	if (i <= from || !source_is_word(s, i - 1))
		return false;
	/* A member: the struct may be declared in a header, so any declaration counts. */
	if (i > from + 1 && (source_is(s, i - 2, ".") || source_is(s, i - 2, "->"))) {
		for (size_t k = 0; k < s->n; k++)
			if (same_word(s, k, i - 1) && pointed_type(s, k) != SOURCE_NONE &&
			    source_is(s, pointed_type(s, k), type))
				return true;
		return false;
	}
	return points_to(s, i - 1, type);
}

void source_allocs(const struct source *s, const char *type, struct source_allocs *out)
{
	*out = (struct source_allocs){.unsized = SOURCE_NONE};
	for (size_t i = 0; i < s->n; i++) {
		bool placed = source_is(s, i, "new") && source_is(s, i + 1, "(");
		size_t from, to;

		if (!placed && !is_alloc_word(s, i))
			continue;
		statement(s, i, &from, &to);
		/* Its definition, or its declaration. */
		if (source_is(s, to, "{") || (i > from && source_is(s, i - 1, "*") && !has(s, from, i, "=") &&
					      !has(s, from, i, "return")))
			continue;
		if (!has(s, from, to, type) && !assigns_to(s, from, i, type))
			continue;
		out->any = true;
		if (!placed && out->unsized == SOURCE_NONE && !sized(s, from, to, type))
			out->unsized = i;
	}
}

bool source_holds(const struct source *s, const struct source_struct *t, const char *type)
{
	for (size_t i = t->open + 1; i + 1 < t->close; i++)
		if (source_is(s, i, type) && !source_is(s, i + 1, "*") && !source_is(s, i + 1, "&"))
			return true;
	return false;
}
