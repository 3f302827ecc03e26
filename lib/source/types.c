/* SPDX-License-Identifier: MIT */
/* Structs and declarations in a source. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/source/source.h"
#include "lib/vec.h"

/* Longer lists of template arguments, and heads of structs, are none. */
#define ANGLES_MAX      512u
#define NAME_MAX_TOKENS 512u
/* Structs without a name in each other, and words of one name on one line, at most. */
#define DEPTH_MAX      32u
#define CANDIDATES_MAX 64u

static bool is_aggregate(const struct source *s, size_t i)
{
	static const char *const words[] = {"struct", "class", "union", NULL};

	return source_is_word(s, i) && source_is_any(s, i, words);
}

/* What may take an argument in brackets without being a function. */
static bool is_attribute(const struct source *s, size_t i)
{
	static const char *const words[] = {"__attribute__", "__attribute", "_Alignas", "alignas",
					    "__declspec",    "decltype",    "typeof",   "__typeof__",
					    "_Atomic",       NULL};

	return source_is_any(s, i, words);
}

/* Past attributes at @i: __attribute__((..)), alignas(..), [[..]]. */
static size_t past_attributes(const struct source *s, size_t i)
{
	for (;;) {
		size_t open = is_attribute(s, i) ? i + 1 : i;

		if (open == i && !(source_is(s, i, "[") && source_is(s, i + 1, "[")))
			return i;
		open = source_match(s, open);
		if (open == SOURCE_NONE)
			return i;
		i = open + 1;
	}
}

/* ALIGNED(64): no parameter of a function is a number. */
static size_t past_macro(const struct source *s, size_t i)
{
	bool call = source_is_capitals(s, i) && source_is(s, i + 1, "(") && i + 2 < s->n &&
		    s->at[i + 2].kind == TOKEN_NUMBER && source_is(s, i + 3, ")");

	return call ? i + 4 : i;
}

size_t source_past_attributes(const struct source *s, size_t i)
{
	for (;;) {
		size_t past = past_macro(s, past_attributes(s, i));

		if (past == i && source_is_capitals(s, i) && i && !source_is(s, i - 1, "*") &&
		    (source_is_word(s, i - 1) || source_is(s, i - 1, "]") || source_is(s, i - 1, ")")))
			past = i + 1;
		if (past == i)
			return i;
		i = past;
	}
}

size_t source_weak_alignment(const struct source *s, size_t from, size_t to, unsigned bytes)
{
	static const char *const words[] = {"alignas", "_Alignas", "aligned", "__aligned__", NULL};

	for (size_t i = from; i + 3 <= to; i++) {
		char *end;
		unsigned long n;

		if (source_is(s, i, "{") && source_match(s, i) != SOURCE_NONE)
			i = source_match(s, i);
		if (!source_is_any(s, i, words) || !source_is(s, i + 1, "(") || !source_is(s, i + 3, ")"))
			continue;
		n = strtoul(s->text + s->at[i + 2].at, &end, 0);
		if (end == s->text + s->at[i + 2].at + s->at[i + 2].len && n < bytes)
			return i + 2;
	}
	return SOURCE_NONE;
}

/* Past <...> at @i; @i itself if that is no such list. */
static size_t past_angles(const struct source *s, size_t i)
{
	int depth = 0;

	for (size_t k = i; source_is(s, i, "<") && k < s->n && k < i + ANGLES_MAX; k++) {
		if (source_is(s, k, ";") || source_is(s, k, "{"))
			break;
		if (source_is(s, k, "(") && source_match(s, k) != SOURCE_NONE)
			k = source_match(s, k);
		depth += source_is(s, k, "<") - source_is(s, k, ">");
		if (!depth)
			return k + 1;
	}
	return i;
}

/* The struct whose keyword stands at @i, if its members are written out there. */
static bool struct_at(const struct source *s, size_t i, struct source_struct *out)
{
	size_t k = past_attributes(s, i + 1);

	*out = (struct source_struct){
		.keyword = i, .tag = SOURCE_NONE, .open = SOURCE_NONE, .end = SOURCE_NONE};
	/* The last name counts: attributes may be macros, and names be qualified. */
	for (size_t a = i + 1; a < k; a++)
		out->aligned |= source_is(s, a, "alignas") || source_is(s, a, "_Alignas") ||
				source_is(s, a, "aligned") || source_is(s, a, "__aligned__");
	while (k < i + NAME_MAX_TOKENS && (source_is_word(s, k) || source_is(s, k, "::"))) {
		if (source_is_word(s, k) && !source_is(s, k, "final"))
			out->tag = k;
		k = past_attributes(s, past_angles(s, k + 1));
	}
	if (source_is(s, k, ":")) {
		out->derived = true;
		while (k < s->n && !source_is(s, k, "{") && !source_is(s, k, ";"))
			k++;
	}
	if (!source_is(s, k, "{"))
		return false;
	out->open = k;
	out->close = source_match(s, k);
	if (out->close == SOURCE_NONE)
		return false;
	for (k = out->close + 1; k < s->n && k < out->close + ANGLES_MAX && !source_is(s, k, ";"); k++)
		if (source_match(s, k) != SOURCE_NONE && source_match(s, k) > k)
			k = source_match(s, k);
	out->end = source_is(s, k, ";") ? k : SOURCE_NONE;
	out->is_typedef = i && source_is(s, i - 1, "typedef");
	out->is_template = i && source_is(s, i - 1, ">");
	return out->end != SOURCE_NONE;
}

static bool types_same(const struct source *s, size_t i, const char *name, size_t len)
{
	return source_is_word(s, i) && s->at[i].len == len && !memcmp(s->text + s->at[i].at, name, len);
}

const char *source_last_name(const char *name, size_t *len)
{
	static const char *const drop[] = {"struct ", "class ", "union "};
	int depth = 0;

	for (size_t i = 0; i < sizeof(drop) / sizeof(drop[0]); i++)
		if (!strncmp(name, drop[i], strlen(drop[i])))
			name += strlen(drop[i]);
	*len = strcspn(name, "<[ :");
	for (const char *p = name; *p && (depth || (*p != '[' && *p != ' ')); p++) {
		depth += (*p == '<') - (*p == '>');
		if (!depth && p[0] == ':' && p[1] == ':') {
			name = p + 2;
			*len = strcspn(name, "<[ :");
		}
	}
	return name;
}

bool source_struct_named(const struct source *s, const struct source_struct *t, const char *name)
{
	size_t len;

	name = source_last_name(name, &len);
	if (t->tag != SOURCE_NONE && types_same(s, t->tag, name, len))
		return true;
	for (size_t i = t->close + 1; t->is_typedef && i < t->end; i++)
		if (types_same(s, i, name, len) && !source_is(s, i - 1, "*"))
			return true;
	return false;
}

bool source_next_struct(const struct source *s, size_t *i, struct source_struct *out)
{
	for (; *i < s->n; (*i)++)
		if (is_aggregate(s, *i) && struct_at(s, *i, out)) {
			*i = out->open + 1;
			return true;
		}
	return false;
}

/* One declaration while its declarators are read. */
struct reading {
	const struct source *s;
	size_t first, end; /* its tokens, end is the ';' */
	struct source_struct inner;
	size_t after; /* behind the inner struct's brace, or first */
};

/* The comma, or the ';', that ends the declarator from @i on; angle brackets hide commas. */
static size_t declarator_end(const struct reading *r, size_t i)
{
	while (i < r->end && !source_is(r->s, i, ",")) {
		size_t to = source_match(r->s, i);

		if (to != SOURCE_NONE && to > i && to < r->end)
			i = to + 1;
		else if (source_is(r->s, i, "<") && source_is_word(r->s, i - 1))
			i = past_angles(r->s, i) > i ? past_angles(r->s, i) : i + 1;
		else
			i++;
	}
	return i;
}

static bool is_qualifier(const struct source *s, size_t i)
{
	static const char *const words[] = {
		"static",   "extern",        "const",        "volatile", "mutable",
		"register", "_Thread_local", "inline",       "struct",   "class",
		"union",    "enum",          "thread_local", "typename", NULL};

	return source_is_any(s, i, words);
}

static bool is_number_type(const struct source *s, size_t i)
{
	static const char *const words[] = {"char",   "short",    "int",      "long",    "unsigned", "signed",
					    "float",  "double",   "_Bool",    "bool",    "auto",     "void",
					    "size_t", "__int128", "_Complex", "wchar_t", NULL};

	return source_is_any(s, i, words);
}

static bool is_letter(const struct source *s, size_t i)
{
	return s->at[i].len == 1 && isupper((unsigned char)s->text[s->at[i].at]);
}

/* `long name G`: one capital may also be a name or a type, but not behind a type and a name. */
static bool is_letter_behind(const struct reading *r, size_t from, size_t i)
{
	return i >= from + 2 && is_letter(r->s, i) && !is_letter(r->s, i - 1) &&
	       !source_is_capitals(r->s, i - 1) && is_number_type(r->s, i - 2);
}

/* `type name MACRO`: the name stands in front of an attribute in capitals. */
static size_t before_macro(const struct reading *r, size_t from, size_t name)
{
	if (name <= from || !source_is_word(r->s, name - 1) ||
	    (!source_is_capitals(r->s, name) && !is_letter_behind(r, from, name)))
		return name;
	/* A later declarator has no type of its own. */
	if (from > r->after && !is_qualifier(r->s, name - 1))
		return name - 1;
	if (name < from + 2)
		return name;
	if (is_qualifier(r->s, name - 1) || is_number_type(r->s, name - 1))
		return name;
	/* Is there a type in front of it? */
	if (source_is(r->s, name - 2, "*") || source_is(r->s, name - 2, ">") ||
	    source_is(r->s, name - 2, "}") ||
	    (source_is_word(r->s, name - 2) && (!is_qualifier(r->s, name - 2) || name > from + 2)))
		return is_qualifier(r->s, name - 2) && source_is_word(r->s, name - 2) ? name : name - 1;
	return name;
}

/* `unsigned : 0`, `uint8_t : 3`: what stands in front of the colon at @colon is a type and no name. */
static bool no_name(const struct reading *r, size_t from, size_t colon)
{
	size_t numbers = 0, others = 0;

	for (size_t i = from; i < colon; i++)
		if (source_is_word(r->s, i) && is_number_type(r->s, i))
			numbers++;
		else if (source_is_word(r->s, i) && !is_qualifier(r->s, i))
			others++;
	return numbers ? !others : others < 2 && from == r->first;
}

/* The declared name: the last word before an array, a width, a value or the end. */
static size_t declared_name(const struct reading *r, size_t from, size_t to)
{
	static const char *const stop[] = {"[", ":", "=", "{", "(", NULL};
	size_t name = SOURCE_NONE;

	for (size_t i = from; i < to; i++) {
		size_t past = past_macro(r->s, past_attributes(r->s, i));

		if (past > i) {
			i = past - 1;
			continue;
		}
		if (source_is(r->s, i, "(") && source_is(r->s, i + 1, "*") && source_is_word(r->s, i + 2))
			return i + 2;
		if (source_is(r->s, i, ":") && no_name(r, from, i))
			return SOURCE_NONE;
		if (source_is_any(r->s, i, stop))
			break;
		if (source_is_word(r->s, i))
			name = i;
		if (source_is(r->s, i, "<") && past_angles(r->s, i) > i) {
			i = past_angles(r->s, i) - 1;
			name = SOURCE_NONE;
		}
	}
	return name == SOURCE_NONE ? name : before_macro(r, from, name);
}

/* The initialiser behind a name. */
static size_t value_of(const struct source *s, size_t i, size_t last)
{
	for (;;) {
		size_t past = source_past_attributes(s, i);

		if (past == i && source_is(s, i, "[") && source_match(s, i) != SOURCE_NONE)
			past = source_match(s, i) + 1;
		if (past == i || past > last + 1)
			break;
		i = past;
	}
	return i <= last && (source_is(s, i, "=") || source_is(s, i, "{")) ? i : SOURCE_NONE;
}

/* Back over the '*' and qualifiers in front of a name. */
static size_t declarator_start(const struct reading *r, size_t name, size_t from)
{
	static const char *const words[] = {"const", "volatile", "restrict", "__restrict", "_Atomic", NULL};
	size_t i = name, star = name;

	while (i > from && (source_is(r->s, i - 1, "*") || source_is(r->s, i - 1, "&") ||
			    source_is_any(r->s, i - 1, words))) {
		i--;
		if (!source_is_word(r->s, i))
			star = i;
	}
	return star;
}

static void read_declarator(const struct reading *r, size_t from, size_t to, struct source_member *m)
{
	*m = (struct source_member){.first = r->first, .end = r->end, .inner = r->inner, .segment = from};
	m->name = declared_name(r, from, to);
	m->last = to - 1;
	if (m->name == SOURCE_NONE) {
		m->odd = true;
		return;
	}
	m->declarator = declarator_start(r, m->name, from);
	m->value = value_of(r->s, m->name + 1, m->last);
	m->bit_field = source_is(r->s, m->name + 1, ":");
	m->odd = source_is(r->s, m->name + 1, "(") || source_is(r->s, m->name + 1, ")");
	m->flexible = source_is(r->s, m->name + 1, "[") && source_is(r->s, m->name + 2, "]");
}

static void read_declaration(const struct reading *r, struct source_members *out)
{
	size_t from = r->after, before = out->n;

	while (from < r->end) {
		size_t to = declarator_end(r, from);
		struct source_member m;

		read_declarator(r, from, to, &m);
		m.number = (unsigned)(out->n - before);
		if (m.name != SOURCE_NONE)
			vec_push(out, m);
		from = to + 1;
	}
	for (size_t i = before; i < out->n; i++)
		out->at[i].of = (unsigned)(out->n - before);
}

/* A '(' that belongs to no attribute and no pointer to a function makes a function. */
static bool is_function(const struct source *s, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		size_t past = past_macro(s, past_attributes(s, i));

		if (past > i)
			i = past - 1;
		else if (source_is(s, i, "operator"))
			return true;
		else if (source_is(s, i, "=") || source_is(s, i, "{"))
			return false;
		else if (source_is(s, i, "<") && past_angles(s, i) > i)
			i = past_angles(s, i) - 1;
		else if (source_is(s, i, "("))
			return !source_is(s, i + 1, "*");
	}
	return false;
}

/* The ';' that ends the declaration at @i, or the '}' of a function's body. */
static size_t statement_end(const struct source *s, size_t i, size_t close)
{
	size_t first = i;

	for (; i < close && !source_is(s, i, ";"); i++) {
		size_t to = source_match(s, i);

		if (to == SOURCE_NONE || to < i)
			continue;
		if (source_is(s, i, "{") && is_function(s, first, i) && !source_is(s, to + 1, ";"))
			return to;
		i = to;
	}
	return i;
}

static size_t find_inner(const struct source *s, size_t first, size_t end, struct source_struct *inner)
{
	*inner = (struct source_struct){.open = SOURCE_NONE};
	for (size_t i = first; i < end && !source_is(s, i, "=") && !source_is(s, i, "("); i++)
		if (is_aggregate(s, i) && struct_at(s, i, inner) && inner->close < end)
			return inner->close + 1;
	inner->open = SOURCE_NONE;
	for (size_t i = first; i < end && source_is(s, first, "enum"); i++)
		if (source_is(s, i, "{") && source_match(s, i) != SOURCE_NONE)
			return source_match(s, i) + 1;
	return first;
}

static void read_members(const struct source *s, size_t open, size_t close, struct source_members *out,
			 unsigned depth);

static void read_statement(const struct source *s, size_t first, size_t end, struct source_members *out,
			   unsigned depth)
{
	static const char *const other[] = {"using",          "typedef",  "friend",
					    "template",       "static",   "static_assert",
					    "_Static_assert", "operator", NULL};
	struct reading r = {.s = s, .first = first, .end = end};

	if (source_is_any(s, first, other) || source_is(s, end, "}") || is_function(s, first, end)) {
		out->special |= !source_is_any(s, first, other) || source_is(s, first, "template");
		return;
	}
	r.after = find_inner(s, first, end, &r.inner);
	/* Of a struct without a name the members are ours. */
	if (r.inner.open != SOURCE_NONE && r.after == end) {
		struct source_members in;

		if (r.inner.tag != SOURCE_NONE || depth == DEPTH_MAX)
			return;
		read_members(s, r.inner.open, r.inner.close, &in, depth + 1);
		for (size_t i = 0; i < in.n; i++)
			vec_push(out, in.at[i]);
		out->conditional |= in.conditional;
		source_members_release(&in);
		return;
	}
	read_declaration(&r, out);
}

static void read_members(const struct source *s, size_t open, size_t close, struct source_members *out,
			 unsigned depth)
{
	static const char *const labels[] = {"public", "private", "protected", NULL};

	*out = (struct source_members){0};
	for (size_t i = open + 1; i < close;) {
		if (s->at[i].kind == TOKEN_DIRECTIVE) {
			out->conditional = true;
			i++;
		} else if (source_is_any(s, i, labels) && source_is(s, i + 1, ":")) {
			out->hidden |= !source_is(s, i, "public");
			i += 2;
		} else if (source_is(s, i, ";")) {
			i++;
		} else {
			size_t end = statement_end(s, i, close);

			if (end >= close)
				return;
			read_statement(s, i, end, out, depth);
			i = end + 1;
		}
	}
}

void source_members(const struct source *s, size_t open, size_t close, struct source_members *out)
{
	read_members(s, open, close, out, 0);
}

void source_members_release(struct source_members *m)
{
	vec_release(m);
}

const struct source_member *source_member(const struct source *s, const struct source_members *m,
					  const char *name, size_t len)
{
	for (size_t i = 0; i < m->n; i++)
		if (types_same(s, m->at[i].name, name, len))
			return &m->at[i];
	return NULL;
}

/* The first token of the declaration that token @i is in. */
static size_t statement_start(const struct source *s, size_t i)
{
	while (i) {
		size_t open;

		if (source_is(s, i - 1, ";") || source_is(s, i - 1, "{") ||
		    s->at[i - 1].kind == TOKEN_DIRECTIVE)
			return i;
		if (source_is(s, i - 1, ":") && i > 1 && source_is_word(s, i - 2))
			return i;
		if (!source_is(s, i - 1, "}") && !source_is(s, i - 1, ")") && !source_is(s, i - 1, "]")) {
			i--;
			continue;
		}
		open = source_match(s, i - 1);
		if (open == SOURCE_NONE)
			return i;
		/* A block that is not a struct's ended before the declaration, or is the value of another one. */
		if (source_is(s, i - 1, "}") && !source_is(s, i, ",") &&
		    !source_is(s, open - (open != 0), "=")) {
			struct source_struct t;
			size_t k = open - (open != 0);

			while (k && !is_aggregate(s, k) && !source_is(s, k, ";") && !source_is(s, k, "{")) {
				size_t back = source_is(s, k, ")") ? source_match(s, k) : k;

				k = back == SOURCE_NONE || !back ? 0 : back - 1;
			}
			if (!is_aggregate(s, k) || !struct_at(s, k, &t) || t.open != open)
				return i;
			open = k;
		}
		i = open;
	}
	return 0;
}

/* The number of the declarator whose name is token @i, in the declaration around it. */
static size_t variable_at(const struct source *s, size_t i, struct source_members *out)
{
	struct reading r = {.s = s};

	r.first = statement_start(s, i);
	r.end = statement_end(s, r.first, s->n);
	if (r.end >= s->n || r.end <= i || !source_is(s, r.end, ";"))
		return SOURCE_NONE;
	r.after = find_inner(s, r.first, r.end, &r.inner);
	read_declaration(&r, out);
	for (size_t k = 0; k < out->n; k++)
		if (out->at[k].name == i)
			return k;
	return SOURCE_NONE;
}

size_t source_find_variable(const struct source *s, const char *name, uint32_t line,
			    struct source_members *out)
{
	size_t len = strlen(name), candidates = 0;

	*out = (struct source_members){0};
	for (size_t i = 0; i < s->n && candidates < CANDIDATES_MAX; i++) {
		size_t number;

		if (s->at[i].line != line || !types_same(s, i, name, len))
			continue;
		candidates++;
		number = variable_at(s, i, out);
		if (number != SOURCE_NONE)
			return number;
		out->n = 0;
	}
	return SOURCE_NONE;
}

/* `return n;` and the like declare nothing. */
static bool declares(const struct source *s, const struct source_member *m)
{
	static const char *const words[] = {"return",  "goto",      "throw",    "delete", "case",  "else",
					    "typedef", "co_return", "co_yield", "break",  "using", NULL};

	return m->declarator > m->first && !source_is_any(s, m->first, words);
}

size_t source_find_local(const struct source *s, const char *name, uint32_t line, struct source_members *out)
{
	size_t len = strlen(name), i = 0, end, candidates = 0;

	*out = (struct source_members){0};
	while (i < s->n && s->at[i].line < line)
		i++;
	while (i < s->n && !source_is(s, i, "{"))
		i++;
	end = i < s->n ? source_match(s, i) : SOURCE_NONE;
	for (; end != SOURCE_NONE && i < end && candidates < CANDIDATES_MAX; i++) {
		size_t number =
			types_same(s, i, name, len) && ++candidates ? variable_at(s, i, out) : SOURCE_NONE;

		if (number != SOURCE_NONE && declares(s, &out->at[number]))
			return number;
		out->n = 0;
	}
	return SOURCE_NONE;
}
