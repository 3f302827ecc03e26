/* SPDX-License-Identifier: MIT */
#include "codegen/graft/type.h"

#include <string.h>

#include "lib/mem.h"
#include "lib/strbuf.h"

static const char *const builtin[] = {
	"char",    "short",    "int",      "long",     "float",    "double",    "signed",    "unsigned",
	"bool",    "_Bool",    "size_t",   "ssize_t",  "int8_t",   "int16_t",   "int32_t",   "int64_t",
	"uint8_t", "uint16_t", "uint32_t", "uint64_t", "intptr_t", "uintptr_t", "ptrdiff_t", "pthread_t",
	"off_t",   "pid_t",    "time_t",   "wchar_t",  NULL};

/* What of a type has been seen. */
struct kind {
	unsigned builtins, tagged, names, stars;
	bool is_void, odd, bare; /* bare: `struct`, its name follows */
};

static void type_add(struct kind *k, const struct scan *c, size_t i)
{
	static const char *const qualifiers[] = {"const", "volatile", NULL};
	static const char *const tags[] = {"struct", "union", "enum", NULL};

	if (source_is_any(c->s, i, qualifiers)) {
		/* no type */
	} else if (source_is(c->s, i, "*")) {
		k->stars++;
	} else if (!source_is_word(c->s, i)) {
		k->odd = true;
	} else if (k->bare) {
		k->bare = false;
		k->tagged++;
	} else if (source_is_any(c->s, i, tags)) {
		k->bare = true;
	} else if (source_is_any(c->s, i, builtin)) {
		k->builtins++;
	} else if (source_is(c->s, i, "void")) {
		k->is_void = true;
	} else {
		k->names++;
	}
}

/* Is it one type, and one whose objects are copied without any function? */
static bool is_certain(const struct kind *k, bool cxx)
{
	unsigned kinds = (k->builtins != 0) + k->tagged + k->names + k->is_void;

	if (k->odd || k->bare || kinds != 1 || (k->is_void && !k->stars))
		return false;
	return !cxx || k->builtins || k->stars;
}

/* Past what is no part of the type at @i. */
static size_t past_specifier(const struct scan *c, size_t i)
{
	static const char *const words[] = {"static",     "inline",        "extern",   "__inline",
					    "__inline__", "_Noreturn",     "register", "constexpr",
					    "virtual",    "__extension__", NULL};
	size_t k = source_match(c->s, i + 1);

	if (source_is(c->s, i, "__attribute__") && k != SOURCE_NONE && k > i)
		return k + 1;
	if (source_is(c->s, i, "[") && source_is(c->s, i + 1, "[") && source_match(c->s, i) != SOURCE_NONE)
		return source_match(c->s, i) + 1;
	/* extern "C" */
	if (source_is(c->s, i, "extern") && c->s->at[i + 1].kind == TOKEN_TEXT)
		return i + 2;
	return source_is_any(c->s, i, words) ? i + 1 : i;
}

static void type_append(struct strbuf *out, const struct source *s, size_t i)
{
	const char *last = out->len ? out->s + out->len - 1 : "*";

	if (*last != '*')
		strbuf_puts(out, " ");
	strbuf_add(out, s->text + s->at[i].at, s->at[i].len);
}

char *graft_return_type(const struct scan *c, size_t open)
{
	struct strbuf sb = STRBUF_INIT;
	struct kind k = {0};
	size_t name;

	if (open == SOURCE_NONE || c->kind[open] != SCAN_FUNCTION)
		return NULL;
	name = scan_function_name(c, open);
	if (name == SOURCE_NONE)
		return NULL;
	/* A function may be named with the class or namespace that it is of. */
	while (name >= 2 && source_is(c->s, name - 1, "::") && source_is_word(c->s, name - 2))
		name -= 2;
	for (size_t i = scan_function_first(c, open); i < name; i++) {
		size_t past = past_specifier(c, i);

		if (past > i) {
			i = past - 1;
			continue;
		}
		type_add(&k, c, i);
		type_append(&sb, c->s, i);
	}
	if (sb.len && is_certain(&k, c->s->cxx))
		return strbuf_detach(&sb);
	strbuf_release(&sb);
	return NULL;
}

bool graft_is_plain_type(const struct scan *c, size_t from, size_t to)
{
	struct kind k = {0};

	if (to <= from || !source_is_word(c->s, to))
		return false;
	if (source_is(c->s, from, "auto") ||
	    (source_is(c->s, from, "const") && source_is(c->s, from + 1, "auto")))
		return to == from + 1 || (to == from + 2 && source_is(c->s, from, "const"));
	for (size_t i = from; i < to; i++)
		type_add(&k, c, i);
	return is_certain(&k, true);
}

static bool touches(const struct source *s, size_t i, const char *signs)
{
	size_t at = s->at[i].at;

	return at && strchr(signs, s->text[at - 1]);
}

/* What a sign at the upper level says: 1: compares, 0: nothing, -1: makes some other value. */
static int compares(const struct source *s, size_t i)
{
	char ch = s->text[s->at[i].at], next = s->text[s->at[i].at + 1];

	if (s->at[i].kind != TOKEN_SIGN || s->at[i].len != 1)
		return 0;
	if (ch == '=')
		return touches(s, i, "=!<>") ? (touches(s, i, "<>") && s->at[i].at >= 2 &&
								strchr("<>", s->text[s->at[i].at - 2])
							? -1
							: 1)
		       : next == '='         ? 0
					     : -1;
	if (ch == '<' || ch == '>')
		return next == ch || touches(s, i, "<>") ? -1 : 1;
	if (ch == '!')
		return next == '=' ? 0 : 1;
	return strchr("().[]", ch) ? 0 : -1;
}

bool graft_is_truth(const struct scan *c, size_t from, size_t to)
{
	bool compared = false;

	for (size_t i = from; i <= to; i++) {
		size_t m = source_match(c->s, i);
		int is = compares(c->s, i);

		/* `!` in the middle negates a part only, which a comparison next to it joins. */
		if (is < 0)
			return false;
		compared |= is > 0 && (!source_is(c->s, i, "!") || i == from);
		if (m != SOURCE_NONE && m > i && m <= to)
			i = m;
	}
	return compared;
}

bool graft_is_number(const struct scan *c, size_t from, size_t to, const struct scan_call *call)
{
	static const char *const signs[] = {"!", "=", "<", ">", "(", ")", "-", NULL};

	for (size_t i = from; i <= to; i++) {
		if (i == call->first)
			i = call->close;
		else if (c->s->at[i].kind != TOKEN_NUMBER && !source_is_any(c->s, i, signs))
			return false;
	}
	return true;
}
