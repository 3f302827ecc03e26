/* SPDX-License-Identifier: MIT */
#include "codegen/graft/place.h"

#include <string.h>

static bool is_directive(const struct scan *c, size_t i)
{
	return c->s->at[i].kind == TOKEN_DIRECTIVE;
}

static bool is_block(const struct scan *c, size_t i)
{
	return source_is(c->s, i, "{") &&
	       (c->kind[i] == SCAN_BLOCK || c->kind[i] == SCAN_FUNCTION || c->kind[i] == SCAN_LAMBDA);
}

/* The outermost bracket around @i below the block that it is in; @i itself if it stands there directly. */
static size_t top_item(const struct scan *c, size_t i)
{
	for (size_t p = scan_parent(c, i); p != SOURCE_NONE && !is_block(c, p); p = scan_parent(c, p))
		i = p;
	return i;
}

/* Is the ':' at @i that of a label?  It may belong to ?: as well. */
static bool is_label(const struct scan *c, size_t i)
{
	static const char *const starts[] = {";", "{", "}", ":", "else", "do", NULL};

	if (!i)
		return false;
	if (source_is(c->s, i - 1, "default"))
		return true;
	if (source_is_word(c->s, i - 1) && i >= 2 &&
	    (is_directive(c, i - 2) || source_is_any(c->s, i - 2, starts)))
		return true;
	for (size_t k = i; k-- > 0;) {
		size_t m = source_match(c->s, k);

		if (source_is(c->s, k, "case"))
			return true;
		if (source_is(c->s, k, "?") || source_is(c->s, k, ";") || source_is(c->s, k, "{"))
			return false;
		if (m != SOURCE_NONE && m < k)
			k = m;
	}
	return false;
}

static bool ends_block(const struct scan *c, size_t i)
{
	size_t m = source_match(c->s, i);

	return source_is(c->s, i, "}") && m != SOURCE_NONE && c->kind[m] == SCAN_BLOCK;
}

/* What stands before a statement that begins at @i; false: nothing ends there, go on. */
static bool boundary(const struct scan *c, size_t i, struct place *out, const char **why)
{
	static const char *const controls[] = {"if", "for", "while", "switch", "constexpr", NULL};
	const struct source *s = c->s;
	size_t p = i - 1, m = source_match(s, p);

	out->first = i;
	out->where = PLACE_IN_BLOCK;
	if (p == scan_parent(c, i) || source_is(s, p, ";") || ends_block(c, p))
		return true;
	out->control = p;
	out->where = PLACE_BODY;
	if (source_is(s, p, "else") || source_is(s, p, "do"))
		return true;
	if (source_is(s, p, ")") && m != SOURCE_NONE && m) {
		size_t word = m - 1;

		if (source_is_any(c->s, word, controls))
			return true;
		if (source_is_word(s, i) && scan_opens_call(c, m) && source_is_word(s, word) && word &&
		    (is_block(c, word - 1) || source_is(s, word - 1, ";") || source_is(s, word - 1, "}")))
			*why = "it stands behind what looks like a macro";
	}
	out->where = PLACE_LABELLED;
	return source_is(s, p, ":") && is_label(c, p);
}

/* The first token of the statement that holds @item. */
static const char *find_first(const struct scan *c, size_t item, struct place *out)
{
	const char *why = NULL;
	size_t i = item;

	while (i > 0) {
		size_t p = i - 1, m = source_match(c->s, p);

		if (is_directive(c, p)) {
			while (p > 0 && is_directive(c, p))
				p--;
			if (!(source_is(c->s, p, ";") || ends_block(c, p) || p == scan_parent(c, i)))
				return "a line of the preprocessor stands inside of its statement";
			out->first = i;
			out->where = PLACE_IN_BLOCK;
			return NULL;
		}
		if (boundary(c, i, out, &why) || why)
			return why;
		i = m != SOURCE_NONE && m < p ? m : p;
	}
	return "its statement has no beginning";
}

/* The ';' at the level of @i, from there on; SOURCE_NONE: none. */
static size_t find_end(const struct scan *c, size_t i)
{
	for (; i < c->s->n && !is_directive(c, i); i++) {
		size_t m = source_match(c->s, i);

		if (source_is(c->s, i, ";"))
			return i;
		if (is_block(c, i) && c->kind[i] != SCAN_LAMBDA)
			break;
		if (m != SOURCE_NONE && m < i)
			break;
		if (m != SOURCE_NONE)
			i = m;
	}
	return SOURCE_NONE;
}

/* Behind the head of a statement, `if (...)`, `else`, `case 1:`: the statement that it heads; else @i. */
static size_t behind_head(const struct scan *c, size_t i)
{
	static const char *const heads[] = {"if", "for", "while", "switch", NULL};
	size_t m;

	if (source_is(c->s, i, "else") || source_is(c->s, i, "do"))
		return i + 1;
	if (!source_is_any(c->s, i, heads))
		return i;
	i += source_is(c->s, i + 1, "constexpr") ? 2 : 1;
	m = source_is(c->s, i, "(") ? source_match(c->s, i) : SOURCE_NONE;
	return m == SOURCE_NONE ? c->s->n : m + 1;
}

size_t place_statement_end(const struct scan *c, size_t i)
{
	size_t ifs = 0;

	while (i < c->s->n) {
		bool is_if = source_is(c->s, i, "if");
		size_t end, next = behind_head(c, i);

		/* do ... while: rare enough to be left to people. */
		if (source_is(c->s, i, "do") || is_directive(c, i))
			return SOURCE_NONE;
		ifs += is_if;
		if (next != i) {
			i = next;
			continue;
		}
		end = source_is(c->s, i, "{") ? source_match(c->s, i) : find_end(c, i);
		if (end == SOURCE_NONE || (end + 1 < c->s->n && is_directive(c, end + 1) && ifs))
			return SOURCE_NONE;
		/* Each `else` belongs to one `if` that has none yet. */
		if (!ifs || !source_is(c->s, end + 1, "else"))
			return end;
		ifs--;
		i = end + 1;
	}
	return SOURCE_NONE;
}

static bool heads_statement(const struct scan *c, size_t open)
{
	static const char *const heads[] = {"if", "for", "while", "switch", "constexpr", NULL};

	return open && source_is(c->s, open, "(") && source_is_any(c->s, open - 1, heads);
}

static bool has_directive(const struct scan *c, size_t from, size_t to)
{
	for (size_t i = from; i <= to; i++)
		if (is_directive(c, i))
			return true;
	return false;
}

/* if (E): not with a declaration or a second part in it. */
static void find_if(const struct scan *c, struct place *out)
{
	const struct source *s = c->s;
	size_t open = out->first + 1, close = source_match(s, open);
	bool plain = source_is(s, open, "(") && close != SOURCE_NONE && close > open + 1;

	out->form = PLACE_OTHER;
	if (!plain || out->call.first < open || out->call.close > close)
		return;
	out->last = close;
	out->from = open + 1;
	out->to = close - 1;
	for (size_t i = out->from; i <= out->to; i++)
		plain &= !(source_is(s, i, ";") && scan_parent(c, i) == open);
	/* `int x = ...`, `T *x = ...`, `T<int> x = ...` */
	for (size_t i = out->from + 1; i < out->to && s->cxx; i++)
		if (source_is(s, i + 1, "=") && source_is_word(s, i) && !source_is(s, i + 2, "=") &&
		    (source_is_word(s, i - 1) || strchr("*&>", s->text[s->at[i - 1].at])))
			plain = false;
	if (plain)
		out->form = PLACE_IF;
}

static void find_form(const struct scan *c, struct place *out)
{
	static const char *const others[] = {
		"while",         "for",           "switch",   "do",           "static",
		"extern",        "throw",         "typedef",  "thread_local", "__thread",
		"using",         "_Thread_local", "goto",     "case",         "co_return",
		"co_yield",      "asm",           "co_await", "try",          "__asm__",
		"static_assert", "constexpr",     "delete",   "constinit",    NULL};

	out->from = out->first;
	out->to = out->last - 1;
	if (source_is(c->s, out->first, "if")) {
		find_if(c, out);
	} else if (source_is(c->s, out->first, "return")) {
		out->form = PLACE_RETURN;
		out->from++;
	} else {
		out->form = source_is_any(c->s, out->first, others) ? PLACE_OTHER : PLACE_STATEMENT;
	}
}

/* Why the call is not evaluated exactly once when bracket level after level up to @top is. */
static const char *conditional(const struct scan *c, size_t i, size_t top)
{
	const struct source *s = c->s;

	for (size_t k = i; k > top;) {
		size_t p = k - 1, m = source_match(s, p);

		if (p == scan_parent(c, k)) {
			k = p;
			continue;
		}
		if (source_is(s, p, "?") || source_is(s, p, "and") || source_is(s, p, "or") ||
		    (source_is(s, p, "&") && p && source_is(s, p - 1, "&")) ||
		    (source_is(s, p, "|") && p && source_is(s, p - 1, "|")))
			return "the call is made only under a condition inside of its expression";
		k = m != SOURCE_NONE && m < p ? m : p;
	}
	return NULL;
}

/* Is anything else evaluated in [@from, @to] that may call? */
static const char *others_called(const struct scan *c, size_t from, size_t to, const struct scan_call *own)
{
	for (size_t i = from; i <= to; i++) {
		if (i == own->first) {
			i = own->close;
			continue;
		}
		if (source_is(c->s, i, "{") && (c->s->cxx || c->kind[i] == SCAN_BLOCK))
			return "braces stand inside of its expression";
		if (scan_opens_call(c, i))
			return "something else is called in the same statement";
		if (scan_may_be_function(c, i))
			return "an operator in the same statement may be a function";
	}
	return NULL;
}

static bool calls_within(const struct scan *c, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (scan_opens_call(c, i) || scan_may_be_function(c, i) ||
		    (source_is(c->s, i, "{") && (c->s->cxx || c->kind[i] == SCAN_BLOCK)))
			return true;
	return false;
}

/* A bracket around the call in which it is not, or not surely, evaluated. */
static const char *strange_bracket(const struct scan *c, size_t i)
{
	static const char *const none[] = {"sizeof",     "alignof",     "_Alignof", "decltype", "typeof",
					   "__typeof__", "noexcept",    "typeid",   "_Generic", "alignas",
					   "_Alignas",   "__alignof__", "offsetof", NULL};

	for (size_t p = scan_parent(c, i); p != SOURCE_NONE && !is_block(c, p); p = scan_parent(c, p)) {
		if (!p || !source_is(c->s, p, "("))
			continue;
		if (source_is_any(c->s, p - 1, none))
			return "it stands where nothing is evaluated";
		if (source_is_capitals(c->s, p - 1) || source_is(c->s, p - 1, "assert"))
			return "it stands in the arguments of what looks like a macro";
	}
	return NULL;
}

/* Does what is on both sides of the operator at @i have an order? */
static bool orders(const struct scan *c, size_t i, bool list)
{
	static const char *const signs[] = {";", "?", ":", "and", "or", NULL};
	const struct source *s = c->s;
	bool and = source_is(s, i, "&") && ((i && source_is(s, i - 1, "&")) || source_is(s, i + 1, "&"));
	bool or = source_is(s, i, "|") && ((i && source_is(s, i - 1, "|")) || source_is(s, i + 1, "|"));

	return and || or || source_is_any(c->s, i, signs) || (source_is(s, i, ",") && !list);
}

/* Is token @i, or is anything in the brackets that it opens or closes, something that may call? */
static bool calls_at(const struct scan *c, size_t i)
{
	size_t m = source_match(c->s, i);
	size_t from = m != SOURCE_NONE && m < i ? m : i, to = m != SOURCE_NONE && m > i ? m : i;

	return calls_within(c, from, to + 1);
}

/*
 * On one side of an expression, token after token: has the part been left that has no order to it?  In a list,
 * each other member has none, whatever is in it.
 */
struct side {
	bool list, ordered, crossed;
};

static bool is_beside(const struct scan *c, struct side *d, size_t i)
{
	if (d->list && source_is(c->s, i, ",")) {
		d->crossed = true;
		d->ordered = false;
	} else if (!d->crossed && orders(c, i, d->list)) {
		d->ordered = true;
	}
	return !d->ordered && calls_at(c, i);
}

/* A sign of an operator that takes the result: it comes behind the call. */
static bool takes(const struct scan *c, size_t i)
{
	return i < c->s->n && c->s->at[i].kind == TOKEN_SIGN && source_match(c->s, i) == SOURCE_NONE &&
	       strchr("+-/%^<>|*=!", c->s->text[c->s->at[i].at]);
}

/* Next to tokens @from to @to, on their level of brackets: may anything be called without an order to it? */
static bool neighbours_call(const struct scan *c, size_t from, size_t to, bool list)
{
	size_t p = scan_parent(c, from), start = p == SOURCE_NONE ? 0 : p + 1, m;
	struct side left = {.list = list}, right = {.list = list};

	while (from > start && takes(c, from - 1))
		from--;
	while (takes(c, to + 1))
		to++;

	for (size_t i = from;
	     i-- > start && !is_directive(c, i) && !source_is(c->s, i, ";") && !ends_block(c, i);) {
		if (is_beside(c, &left, i))
			return true;
		m = source_match(c->s, i);
		i = m != SOURCE_NONE && m < i ? m : i;
	}
	for (size_t i = to + 1; i < c->s->n && !is_directive(c, i) && !source_is(c->s, i, ";"); i++) {
		m = source_match(c->s, i);
		if ((m != SOURCE_NONE && m < i) || (is_block(c, i) && c->kind[i] != SCAN_LAMBDA))
			break;
		if (is_beside(c, &right, i))
			return true;
		i = m != SOURCE_NONE ? m : i;
	}
	return false;
}

/* From the call outwards, bracket after bracket. */
static bool is_mixed(const struct scan *c, const struct scan_call *call)
{
	size_t from = call->first, to = call->close;

	for (;;) {
		size_t p = scan_parent(c, from);
		bool inside = p != SOURCE_NONE && !is_block(c, p);
		bool call_list = inside && scan_opens_call(c, p);
		struct scan_call outer;

		/* The head of a statement: what follows is another one. */
		if (inside && heads_statement(c, p))
			return neighbours_call(c, from, to, false);
		if (neighbours_call(c, from, to, call_list || (inside && !source_is(c->s, p, "("))))
			return true;
		if (!inside)
			return false;
		/* The function that the list is for is called when all of the list is known. */
		from = call_list && scan_call(c, p, &outer) ? outer.first : p;
		to = source_match(c->s, p);
		if (call_list && calls_within(c, from, p))
			return true;
	}
}

static const char *find_statement(const struct scan *c, struct place *out)
{
	size_t item = top_item(c, out->call.first), around = scan_parent(c, item);
	const char *why;

	if (around == SOURCE_NONE || !is_block(c, around))
		return "it stands outside of functions";
	why = find_first(c, item, out);
	if (why)
		return why;
	out->last = out->first;
	if (source_is(c->s, out->first, "if") || source_is(c->s, out->first, "while") ||
	    source_is(c->s, out->first, "for") || source_is(c->s, out->first, "switch"))
		out->last = item;
	else
		out->last = find_end(c, item);
	if (out->last == SOURCE_NONE)
		return "its statement does not end with a semicolon";
	return NULL;
}

const char *place_find(const struct scan *c, const struct scan_call *call, struct place *out)
{
	const char *why;

	*out = (struct place){.call = *call, .control = SOURCE_NONE};
	why = strange_bracket(c, call->first);
	if (!why)
		why = find_statement(c, out);
	if (why)
		return why;
	find_form(c, out);
	if (has_directive(c, out->first, out->last) || has_directive(c, call->first, call->close))
		return "a line of the preprocessor stands inside of its statement";
	out->arguments =
		calls_within(c, call->first, call->name) || calls_within(c, call->open + 1, call->close);
	out->mixed = is_mixed(c, call);
	out->alone = out->from == call->first && out->to == call->close;
	if (out->form == PLACE_OTHER)
		return NULL;
	out->shared = conditional(c, call->first, out->first);
	if (!out->shared)
		out->shared = others_called(c, out->from, out->to, call);
	return NULL;
}
