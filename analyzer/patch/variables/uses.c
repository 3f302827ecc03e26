/* SPDX-License-Identifier: MIT */
/* Where a variable is used, in its file and elsewhere. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/patch/variables/variable.h"

static bool is_keyword(const struct source *s, size_t i)
{
	static const char *const words[] = {"return", "sizeof",    "case",     "else",  "do",
					    "throw",  "co_return", "and",      "or",    "not",
					    "new",    "goto",      "co_yield", "delete"};

	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
		if (source_is(s, i, words[k]))
			return true;
	return false;
}

/* The text of `#define NAME text`, where the directive at @i is that of the word @name without arguments; NULL: it is not. */
static const char *macro_text(const struct source *s, size_t i, const char *name, size_t *len)
{
	const char *text = s->text + s->at[i].at, *end = text + s->at[i].len;
	size_t n = strlen(name);

	if (s->at[i].kind != TOKEN_DIRECTIVE)
		return NULL;
	text += 1 + strspn(text + 1, " \t");
	if (strncmp(text, "define", 6))
		return NULL;
	text += 6 + strspn(text + 6, " \t");
	if ((size_t)(end - text) <= n || strncmp(text, name, n) || !strchr(" \t", text[n]))
		return NULL;
	*len = (size_t)(end - text) - n;
	return text + n;
}

/* The word at @i is a macro of the file that a statement or expression may follow: `#define L for (..)`. */
static bool ends_statement(const struct declaration *v, size_t i)
{
	char *name = source_piece(v->s, i, i);
	const char *text = NULL;
	size_t len = 0;
	bool ends;

	for (size_t k = 0; k < i && !text; k++)
		text = macro_text(v->s, k, name, &len);
	while (text && len && strchr(" \t\\\r\n", text[len - 1]))
		len--;
	ends = text && len && strchr(");}{", text[len - 1]) && !memmem(text, len, "__attribute__", 13) &&
	       !memmem(text, len, "lignas", 6);
	free(name);
	return ends;
}

/* Past the operand of the `sizeof` at @i, one of an element: "(*v)", "(v[0])", "*v", "v[0]"; @i: it is of something else. */
static size_t past_element(const struct source *s, size_t i, const char *name)
{
	size_t close = source_is(s, i + 1, "(") ? source_match(s, i + 1) : SOURCE_NONE, k = i + 1;
	bool named = false;

	if (close != SOURCE_NONE) {
		for (; k < close; k++)
			named |= source_is(s, k, name);
		return named && (source_is(s, i + 2, "*") || source_is(s, close - 1, "]")) ? close : i;
	}
	if (source_is(s, k, "*") && source_is(s, k + 1, name))
		return k + 1;
	if (source_is(s, k, name) && source_is(s, k + 1, "[") && source_match(s, k + 1) != SOURCE_NONE)
		return source_match(s, k + 1);
	return i;
}

/*
 * `sizeof(v) / sizeof(v[0])`, where tokens @first to @i are v: the number of elements, also
 * afterwards.  Its last token; @i: it is no such thing.
 */
static size_t past_count(const struct source *s, size_t first, size_t i, const char *name)
{
	bool brackets = first > 1 && source_is(s, first - 1, "(") && source_is(s, first - 2, "sizeof") &&
			source_is(s, i + 1, ")");
	size_t k = i + 1 + brackets;

	if ((!brackets && !(first && source_is(s, first - 1, "sizeof"))) || !source_is(s, k, "/") ||
	    !source_is(s, k + 1, "sizeof"))
		return i;
	return past_element(s, k + 1, name) > k + 1 ? past_element(s, k + 1, name) : i;
}

size_t uses_first(const struct source *s, size_t i)
{
	while (i > 1 && (source_is(s, i - 1, ".") || source_is(s, i - 1, "->"))) {
		i -= 2;
		while (i && (source_is(s, i, "]") || source_is(s, i, ")")) &&
		       source_match(s, i) != SOURCE_NONE && source_match(s, i)) {
			size_t open = source_match(s, i);

			if (!source_is_word(s, open - 1) && !source_is(s, open - 1, "]") &&
			    !source_is(s, open - 1, ")"))
				return open;
			i = open - 1;
		}
	}
	return i;
}

/* All that the text of a directive says of @name is how many elements it has. */
static bool only_counts(const char *text, size_t len, const char *name)
{
	struct source s;
	bool only = true;

	source_parse(&s, "macro.c", text, len);
	for (size_t i = 0; i < s.n && only; i++) {
		size_t past = source_is_word(&s, i) && source_is(&s, i, name)
				      ? past_count(&s, uses_first(&s, i), i, name)
				      : i + 1;

		only = past > i;
		i = past > i + 1 ? past : i;
	}
	source_release(&s);
	return only;
}

bool uses_in_directive(const struct source *s, size_t i, const char *name)
{
	static const char in_words[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	const char *text = s->text + s->at[i].at, *end = text + s->at[i].len, *at = text;
	size_t len = strlen(name);

	if (s->at[i].kind != TOKEN_DIRECTIVE || !strncmp(text + 1 + strspn(text + 1, " \t"), "include", 7))
		return false;
	for (; (at = memmem(at, (size_t)(end - at), name, len)); at++)
		if (!strchr(in_words, at[-1]) && (at + len == end || !strchr(in_words, at[len])))
			return !only_counts(text + 1, (size_t)(end - text) - 1, name);
	return false;
}

/* The first token of `(void *)v`, of which @i is the last; @i itself where there is no such cast. */
static size_t before_cast(const struct source *s, size_t i)
{
	bool cast =
		i > 3 && source_is(s, i - 1, ")") && source_is(s, i - 2, "*") && source_is(s, i - 3, "void");

	if (!cast)
		return i;
	return source_is(s, i - 4, "(") ? i - 4 : i > 4 && source_is(s, i - 5, "(") ? i - 5 : i;
}

/* memset(v, 0, sizeof(v)): @from begins what has @i as its last token, v. */
static bool cleared(const struct source *s, size_t from, size_t i)
{
	return from > 1 && source_is(s, from - 1, "(") && source_is(s, from - 2, "memset") &&
	       source_is(s, i + 1, ",") && source_is(s, i + 2, "0") && source_is(s, i + 3, ",") &&
	       source_is(s, i + 4, "sizeof");
}

/* An argument of printf("%p", v): its address is what it is, whatever it holds. */
static bool shown(const struct source *s, size_t from, size_t i)
{
	if (!from || !source_is(s, from - 1, ",") || !(source_is(s, i + 1, ",") || source_is(s, i + 1, ")")))
		return false;
	for (; from && !source_is(s, from, ";") && !source_is(s, from, "{") && !source_is(s, from, "}");
	     from--)
		if (s->at[from].kind == TOKEN_TEXT &&
		    memmem(s->text + s->at[from].at, s->at[from].len, "%p", 2))
			return true;
	return false;
}

/* `[&v]`, `[v, &n](`: the lambda's uses are looked at themselves. */
static bool captured(const struct source *s, size_t i)
{
	static const char *const pass[] = {"&", ",", "=", "this", "*", NULL}, *const begins[] = {"(", "{",
												 "mutable",
												 NULL};
	size_t open = i, close;

	if (!i || !(source_is(s, i + 1, ",") || source_is(s, i + 1, "]")))
		return false;
	for (open--; open && (source_is_any(s, open, pass) || source_is_word(s, open));)
		open--;
	close = source_is(s, open, "[") ? source_match(s, open) : SOURCE_NONE;
	return close != SOURCE_NONE && open && !source_is_word(s, open - 1) && !source_is(s, open - 1, "]") &&
	       !source_is(s, open - 1, ")") && source_is_any(s, close + 1, begins);
}

static bool harmless(const struct source *s, size_t first, size_t i)
{
	bool brackets = first > 1 && source_is(s, first - 1, "(") && source_is(s, i + 1, ")");
	size_t from = before_cast(s, first);

	if (first && !source_is(s, i + 1, "[") && !source_is(s, i + 1 + brackets, "/") &&
	    (source_is(s, first - 1, "sizeof") || (brackets && source_is(s, first - 2, "sizeof"))))
		return true;
	return cleared(s, from, i) || shown(s, from, i) || (first == i && captured(s, i));
}

static bool of_container(const struct source *s, size_t i)
{
	static const char *const words[] = {"size", "empty", "clear", "resize", "reserve"};

	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
		if (source_is(s, i + 1, ".") && source_is(s, i + 2, words[k]) && source_is(s, i + 3, "(") &&
		    source_match(s, i + 3) != SOURCE_NONE && source_match(s, i + 3) <= i + 5)
			return true;
	return false;
}

/* `free(v)`, `delete[] v`, `!v`, `v == NULL`, `sizeof(*v)`: what takes no element of it. */
static bool of_pointer(const struct source *s, size_t i)
{
	static const char *const nothing[] = {"NULL", "nullptr", "0", "MAP_FAILED", NULL};
	size_t from = before_cast(s, i);

	if (from > 1 && source_is(s, from - 1, "(") && source_is(s, from - 2, "free") &&
	    source_is(s, i + 1, ")"))
		return true;
	if (i > 2 && source_is(s, i - 1, "]") && source_is(s, i - 2, "[") && source_is(s, i - 3, "delete"))
		return true;
	if (i && source_is(s, i - 1, "!"))
		return true;
	if ((source_is(s, i + 1, "=") || source_is(s, i + 1, "!")) && source_is(s, i + 2, "=") &&
	    source_is_any(s, i + 3, nothing))
		return true;
	return i > 1 && source_is(s, i - 1, "*") &&
	       (source_is(s, i - 2, "sizeof") ||
		(source_is(s, i - 2, "(") && source_is(s, i - 3, "sizeof") && source_is(s, i + 1, ")")));
}

/* The type behind the bracket, or word, at @i, without const and volatile, is that of the elements; its last token, else SOURCE_NONE. */
static size_t past_type(const struct declaration *v, size_t i)
{
	static const char *const pass[] = {"const", "volatile", NULL};
	const struct source *s = v->s;
	size_t k = declaration_behind_storage(v), last = SOURCE_NONE;

	for (i++;; i++, k++) {
		while (source_is_any(s, i, pass))
			i++;
		while (source_is_any(s, k, pass))
			k++;
		if (k >= v->m->declarator)
			return last;
		if (s->at[i].len != s->at[k].len ||
		    memcmp(s->text + s->at[i].at, s->text + s->at[k].at, s->at[i].len) != 0)
			return SOURCE_NONE;
		last = i;
	}
}

/* Replace the type of the elements behind token @i by that of their structs; false: it is not there. */
static bool retype(const struct declaration *v, struct edits *e, size_t i, struct err *err)
{
	size_t last = past_type(v, i);
	struct strbuf sb = STRBUF_INIT;
	bool done;

	if (last == SOURCE_NONE)
		return false;
	strbuf_printf(&sb, "struct %s_line", v->name);
	done = !edits_add(e, v->s->at[i + 1].at, v->s->at[last].at + v->s->at[last].len - v->s->at[i + 1].at,
			  sb.s, err);
	strbuf_release(&sb);
	return done;
}

/* The bytes that `mmap(` or `munmap(` at @i has as its second argument are times as many then; false: they are not there. */
static bool widen_mapping(const struct declaration *v, struct edits *e, size_t i, struct err *err)
{
	const struct source *s = v->s;
	size_t close = source_match(s, i + 1), from = i + 2, to;
	struct strbuf sb = STRBUF_INIT;
	char *type;
	bool done;

	while (close != SOURCE_NONE && from < close && !source_is(s, from, ","))
		from++;
	for (to = ++from; close != SOURCE_NONE && to < close && !source_is(s, to, ",");)
		to = source_match(s, to) != SOURCE_NONE && source_match(s, to) > to ? source_match(s, to) + 1
										    : to + 1;
	if (close == SOURCE_NONE || from >= to)
		return false;
	type = source_piece(s, declaration_behind_storage(v), v->m->declarator - 1);
	strbuf_printf(&sb, "sizeof(struct %s_line) / sizeof(%s) * (", v->name, type);
	done = !edits_add(e, s->at[from].at, 0, sb.s, err) &&
	       !edits_add(e, s->at[to - 1].at + s->at[to - 1].len, 0, ")", err);
	strbuf_release(&sb);
	free(type);
	return done;
}

/* The call at @i maps memory that is of no file. */
static bool maps_memory(const struct source *s, size_t i)
{
	static const char *const flags[] = {"MAP_ANONYMOUS", "MAP_ANON", NULL};
	size_t close = source_is(s, i, "mmap") ? source_match(s, i + 1) : SOURCE_NONE;

	for (size_t k = i; close != SOURCE_NONE && k < close; k++)
		if (source_is_any(s, k, flags))
			return true;
	return false;
}

bool declaration_allocate(const struct declaration *v, struct edits *e, size_t i, struct err *err)
{
	const struct source *s = v->s;
	bool sized = false;

	if (source_is(s, i, "(") && past_type(v, i) != SOURCE_NONE && source_is(s, past_type(v, i) + 1, "*"))
		i = retype(v, e, i, err) ? source_match(s, i) + 1 : i;
	if (source_is(s, i, "new"))
		return past_type(v, i) != SOURCE_NONE && source_is(s, past_type(v, i) + 1, "[") &&
		       retype(v, e, i, err);
	if (!source_is_word(s, i) || !(source_is(s, i + 1, "(") || source_is(s, i + 1, "::")))
		return false;
	if (maps_memory(s, i))
		return widen_mapping(v, e, i, err);
	for (; i < s->n && !source_is(s, i, ";"); i++) {
		if (!source_is(s, i, "sizeof"))
			continue;
		if (source_is(s, i + 1, "*") || source_is(s, i + 2, "*"))
			sized = true;
		else if (source_is(s, i + 1, "(") && past_type(v, i + 1) + 1 == source_match(s, i + 1))
			sized |= retype(v, e, i + 1, err);
	}
	return sized;
}

static int refuse_use(const struct declaration *v, size_t i, const char *what, struct err *err)
{
	return err_set(err, -ENOTSUP, "`%s` is %s at %s:%u, not used %s only", v->name, what, v->f->name,
		       v->s->at[i].line, v->pair ? "part by part" : "element by element");
}

/* The pointer @name, set at @i, is moved or indexed in the rest of its block. */
static bool is_moved(const struct source *s, size_t i, const char *name)
{
	size_t end = source_block_end(s, i);

	for (end = end == SOURCE_NONE ? s->n : end; i + 1 < end; i++)
		if (source_is_word(s, i) && source_is(s, i, name) &&
		    (source_is(s, i + 1, "[") || source_is(s, i - 1, "+") || source_is(s, i - 1, "-") ||
		     (!source_is(s, i - 1, "*") && (source_is(s, i + 1, "+") || source_is(s, i + 1, "-")))))
			return true;
	return false;
}

/* `memcpy(to, &v[1], n)`, `p = &v[0]` with a `p[1]`: the elements behind it are meant, too. */
static bool goes_on(const struct source *s, size_t first, size_t i)
{
	static const char *const words[] = {"memcpy", "memmove", "qsort", "fread", "fwrite",
					    "read",   "write",   "send",  "recv",  NULL};
	size_t k = first - 1;
	int depth = 0;

	if (!first || !source_is(s, k, "&"))
		return false;
	if (k > 1 && source_is(s, k - 1, "=") && source_is_word(s, k - 2)) {
		char *name = source_piece(s, k - 2, k - 2);
		bool moved = is_moved(s, i, name);

		free(name);
		return moved;
	}
	for (; k-- > 0 && !source_is(s, k, ";") && !source_is(s, k, "{");) {
		depth += source_is(s, k, ")") - source_is(s, k, "(");
		if (depth < 0)
			return k && source_is_any(s, k - 1, words);
	}
	return false;
}

/* The ';' or '}' that ends the statement at @i, one without others inside or a block; SOURCE_NONE: it is another one. */
static size_t simple_end(const struct source *s, size_t i)
{
	static const char *const others[] = {"if", "for", "while", "switch", "do", "try", NULL};

	if (source_is(s, i, "{"))
		return source_match(s, i);
	if (source_is_any(s, i, others))
		return SOURCE_NONE;
	while (i < s->n && !source_is(s, i, ";"))
		i = source_match(s, i) != SOURCE_NONE && source_match(s, i) > i ? source_match(s, i) + 1
										: i + 1;
	return i < s->n ? i : SOURCE_NONE;
}

/* A capture of a lambda, `[x]`, or another declaration of that name, which can have no member behind it. */
static bool names_anew(const struct source *s, size_t i)
{
	bool last = source_is(s, i + 1, "]") && (source_is(s, i + 2, "(") || source_is(s, i + 2, "{"));

	return last || (source_is_word(s, i - 1) && !is_keyword(s, i - 1)) ||
	       ((source_is(s, i - 1, "*") || source_is(s, i - 1, "&")) && source_is_word(s, i - 2) &&
		source_is_any(s, i - 2, (const char *const[]){"auto", "const", "long", "int", NULL}));
}

/* What stands between `for (` at @from and the name at @name becomes `auto`, with its const and '&'. */
static int loop_type(const struct declaration *v, struct edits *e, size_t from, size_t name, struct err *err)
{
	static const char *const words[] = {"const", "&", "auto", NULL};
	const struct source *s = v->s;
	bool placed = false;
	int ret = 0;

	for (size_t i = from; i < name; i++)
		placed |= source_is(s, i, "auto");
	for (size_t i = from; i < name && !ret && !placed; i++) {
		size_t to = i;

		if (source_is_any(s, i, words))
			continue;
		while (to + 1 < name && !source_is_any(s, to + 1, words))
			to++;
		ret = edits_add(e, s->at[i].at, s->at[to].at + s->at[to].len - s->at[i].at, "auto", err);
		placed = true;
		i = to;
	}
	return ret;
}

/* `for (long x : v) n += x;`: 1, and all uses of x have a member; 0: @i is not used so. */
static int edit_range_for(const struct declaration *v, struct edits *e, size_t first, size_t i,
			  const char *member, struct err *err)
{
	const struct source *s = v->s;
	size_t open = source_is(s, i + 1, ")") ? source_match(s, i + 1) : SOURCE_NONE, name = first - 2, end;
	int ret;

	if (open == SOURCE_NONE || open < 1 || open + 2 >= first || !source_is(s, open - 1, "for") ||
	    !source_is(s, first - 1, ":") || !source_is_word(s, name))
		return 0;
	for (size_t k = open; k < name; k++)
		if (source_is(s, k, ";") || source_is(s, k, "["))
			return 0;
	end = simple_end(s, i + 2);
	if (end == SOURCE_NONE)
		return 0;
	ret = loop_type(v, e, open + 1, name, err);
	for (size_t k = i + 2; k < end && !ret; k++) {
		if (!source_is_word(s, k) || s->at[k].len != s->at[name].len ||
		    memcmp(s->text + s->at[k].at, s->text + s->at[name].at, s->at[k].len) != 0 ||
		    source_is(s, k - 1, ".") || source_is(s, k - 1, "->") || source_is(s, k - 1, "::"))
			continue;
		if (names_anew(s, k))
			return refuse_use(v, i, "gone through by a loop whose variable is declared again",
					  err);
		ret = edits_add(e, s->at[k].at + s->at[k].len, 0, member, err);
	}
	return ret ? ret : 1;
}

/* The tokens *@from to the one returned: `std::begin(v)` or `v.begin()`; SOURCE_NONE: neither. */
static size_t end_point(const struct source *s, size_t i, const char *which, size_t *from)
{
	char other[8] = "c";

	strcat(other, which);
	if ((source_is(s, i + 2, which) || source_is(s, i + 2, other)) && source_is(s, i + 1, ".") &&
	    source_is(s, i + 3, "(") && source_is(s, i + 4, ")")) {
		*from = i;
		return i + 4;
	}
	if (i < 4 || !source_is(s, i - 1, "(") || !source_is(s, i + 1, ")") ||
	    !(source_is(s, i - 2, which) || source_is(s, i - 2, other)))
		return SOURCE_NONE;
	*from = source_is(s, i - 3, "::") ? i - 4 : i - 2;
	return i + 1;
}

/* `accumulate(begin(v), end(v), 0L)` gets a function that adds the members: 1, and *@i moves behind `end`; 0: it is none. */
static int edit_sum(const struct declaration *v, struct edits *e, size_t *i, const char *member,
		    struct err *err)
{
	const struct source *s = v->s;
	struct strbuf sb = STRBUF_INIT;
	size_t from, from2, last = end_point(s, *i, "begin", &from), name, last2, close;
	char *start, *value;
	int ret;

	if (last == SOURCE_NONE || from < 2 || !source_is(s, from - 1, "(") ||
	    !source_is(s, from - 2, "accumulate") || !source_is(s, last + 1, ","))
		return 0;
	for (name = last + 2; name < last + 7 && !source_is(s, name, v->name);)
		name++;
	last2 = source_is(s, name, v->name) ? end_point(s, name, "end", &from2) : SOURCE_NONE;
	close = source_match(s, from - 1);
	if (last2 == SOURCE_NONE || from2 != last + 2 || !source_is(s, last2 + 1, ",") ||
	    source_is(s, last2 + 2, "(") || close == SOURCE_NONE)
		return 0;
	for (size_t k = last2 + 2; k < close; k++)
		if (source_is(s, k, ",") || source_is(s, k, "{"))
			return 0;
	start = source_piece(s, from, last);
	value = source_piece(s, last2 + 2, close - 1);
	strbuf_printf(&sb, ", [](decltype(%s) sum, decltype(*%s) x) { return sum + x%s; }", value, start,
		      member);
	ret = edits_add(e, s->at[close].at, 0, sb.s, err);
	strbuf_release(&sb);
	free(start);
	free(value);
	*i = last2;
	return ret ? ret : 1;
}

/* `v.push_back(n)`, a statement of its own, gets a struct of it; braces do not convert all numbers by themselves. */
static int edit_push(const struct declaration *v, struct edits *e, size_t word, size_t close, struct err *err)
{
	const struct source *s = v->s;
	bool plain = close == word + 2 || (close == word + 3 && s->at[word + 2].kind == TOKEN_NUMBER);
	struct strbuf sb = STRBUF_INIT;
	int ret = 0;

	if (source_is(s, word, "emplace_back"))
		ret = edits_add(e, s->at[word].at, s->at[word].len, "push_back", err);
	strbuf_puts(&sb, "{");
	if (!plain)
		strbuf_printf(&sb, "static_cast<decltype(%s_line::v)>(", v->name);
	if (!ret)
		ret = edits_add(e, s->at[word + 1].at + 1, 0, sb.s, err);
	strbuf_release(&sb);
	strbuf_printf(&sb, "%s%s}", plain ? "" : ")", !v->filled ? "" : close == word + 2 ? "0, {}" : ", {}");
	if (!ret)
		ret = edits_add(e, s->at[close].at, 0, sb.s, err);
	strbuf_release(&sb);
	return ret;
}

/* `v.push_back(n)`, `v.at(k)`, `*v.data()`: 1; 0: @i is not used so. */
static int edit_call(const struct declaration *v, struct edits *e, size_t first, size_t i, const char *member,
		     struct err *err)
{
	static const char *const one[] = {"at", "front", "back", NULL},
				 *const adds[] = {"push_back", "emplace_back", NULL},
				 *const ends[] = {";", "{", "}", NULL};
	const struct source *s = v->s;
	size_t open = i + 3, close = source_is(s, open, "(") ? source_match(s, open) : SOURCE_NONE;
	int ret;

	if (!v->container || !source_is(s, i + 1, ".") || close == SOURCE_NONE)
		return 0;
	if (source_is_any(s, i + 2, one)) {
		ret = edits_add(e, s->at[close].at + 1, 0, member, err);
	} else if (source_is(s, i + 2, "data") && close == open + 1 && source_is(s, first - 1, "*") &&
		   !source_is_word(s, first - 2) && !source_is(s, first - 2, ")") &&
		   !source_is(s, first - 2, "]")) {
		ret = edits_add(e, s->at[first - 1].at, 1, "", err);
		if (!ret)
			ret = edits_add(e, s->at[close].at + 1, 0, "->v", err);
	} else if (source_is_any(s, i + 2, adds) && source_is_any(s, first - 1, ends) &&
		   source_is(s, close + 1, ";")) {
		ret = edit_push(v, e, i + 2, close, err);
	} else {
		return 0;
	}
	return ret ? ret : 1;
}

/* A use as a whole that C++ has, changed along: 1; 0: none of these. */
static int edit_whole_use(const struct declaration *v, struct edits *e, size_t first, size_t *i,
			  const char *member, unsigned dims, struct err *err)
{
	int ret = 0;

	if (v->d != DIALECT_CXX || !*member || dims != 1 || first < 3)
		return 0;
	ret = edit_range_for(v, e, first, *i, member, err);
	if (!ret)
		ret = edit_sum(v, e, i, member, err);
	return ret ? ret : edit_call(v, e, first, *i, member, err);
}

/* `((volatile long *)v)[i]` becomes `(*(volatile long *)&v[i].v)`: 1; 0: @i is not used so. */
static int edit_cast(const struct declaration *v, struct edits *e, size_t i, const char *member,
		     struct err *err)
{
	const struct source *s = v->s;
	size_t cast = i && source_is(s, i - 1, ")") ? source_match(s, i - 1) : SOURCE_NONE, last, close;
	int ret;

	if (cast == SOURCE_NONE || !cast || !source_is(s, cast - 1, "(") ||
	    source_match(s, cast - 1) != i + 1 || !source_is(s, i + 2, "["))
		return 0;
	close = source_match(s, i + 2);
	/* The declaration is in this file. */
	if (close == SOURCE_NONE || !source_is(s, v->m->name, v->name))
		return 0;
	last = past_type(v, cast);
	if (last == SOURCE_NONE || !source_is(s, last + 1, "*") || last + 3 != i)
		return 0;
	ret = edits_add(e, s->at[cast].at, 0, "*", err);
	if (!ret)
		ret = edits_add(e, s->at[i].at, 0, "&", err);
	if (!ret)
		ret = edits_add(e, s->at[i + 1].at, 1, "", err);
	if (!ret)
		ret = edits_add(e, s->at[close].at + 1, 0, member, err);
	if (!ret)
		ret = edits_add(e, s->at[close].at + 1, 0, ")", err);
	return ret ? ret : 1;
}

/* The tokens behind @i give the whole pair a value: `= {1, 2}`, `= std::make_pair(1, 2)`. */
static bool given_values(const struct source *s, size_t i)
{
	size_t k = i + 2 + 2 * source_is(s, i + 2, "std");

	return source_is(s, i + 1, "=") && (source_is(s, i + 2, "{") || source_is(s, k, "make_pair"));
}

/* `p.second`, `p[i].second` get the member behind them; `p.first` stays. */
static int edit_part(const struct declaration *v, struct edits *e, size_t first, size_t i, const char *member,
		     struct err *err)
{
	const struct source *s = v->s;
	size_t last = i;

	while (source_is(s, last + 1, "[") && source_match(s, last + 1) != SOURCE_NONE)
		last = source_match(s, last + 1);
	if (source_is(s, last + 1, ".") || source_is(s, last + 1, "->")) {
		if (source_is(s, last + 2, "first"))
			return 0;
		if (source_is(s, last + 2, "second"))
			return edits_add(e, s->at[last + 2].at + s->at[last + 2].len, 0, member, err);
	}
	if (harmless(s, first, i) || given_values(s, last))
		return 0;
	return refuse_use(v, i, "used as a whole", err);
}

int declaration_edit_use(const struct declaration *v, struct edits *e, size_t first, size_t *i,
			 const char *member, unsigned dims, struct err *err)
{
	const struct source *s = v->s;
	size_t close, past = past_count(s, first, *i, v->name);

	if (past > *i) {
		*i = past;
		return 0;
	}
	if (v->pair)
		return edit_part(v, e, first, *i, member, err);
	if (harmless(s, first, *i) || (v->container && of_container(s, *i)) ||
	    (v->pointer && of_pointer(s, *i)))
		return 0;
	if (v->pointer && source_is(s, *i + 1, "=") && declaration_allocate(v, e, *i + 2, err))
		return 0;
	if (v->pointer && first > 1 && source_is(s, first - 1, "(") && source_is(s, first - 2, "munmap"))
		return widen_mapping(v, e, first - 2, err) ? 0 : refuse_use(v, *i, "not understood", err);
	if (v->pointer && source_is(s, *i + 1, "=") && source_is_word(s, *i + 2) && source_is(s, *i + 3, "("))
		return err_set(err, -ENOTSUP, "the allocation of `%s` at %s:%u takes no size from its type",
			       v->name, v->f->name, s->at[*i].line);
	if (!source_is(s, *i + 1, "[")) {
		int done = *member && dims == 1 && first == *i ? edit_cast(v, e, *i, member, err) : 0;

		if (!done)
			done = edit_whole_use(v, e, first, i, member, dims, err);
		return !done ? refuse_use(v, *i, "used as a whole", err) : done < 0 ? done : 0;
	}
	if (first && source_is_word(s, first - 1) && !is_keyword(s, first - 1) &&
	    !ends_statement(v, first - 1))
		return refuse_use(v, *i, "behind another word, a type or a macro,", err);
	if (*member && goes_on(s, first, *i))
		return refuse_use(v, *i, "used from one element on", err);
	close = source_match(s, *i + 1);
	for (unsigned n = 1; n < dims && *member && close != SOURCE_NONE; n++) {
		if (!source_is(s, close + 1, "["))
			return refuse_use(v, *i, "used row by row", err);
		close = source_match(s, close + 1);
	}
	if (close == SOURCE_NONE)
		return refuse_use(v, *i, "not understood", err);
	return *member ? edits_add(e, s->at[close].at + 1, 0, member, err) : 0;
}

/* Where the variable declared at @i goes out of scope: a namespace does not end it. */
static size_t scope_end(const struct source *s, size_t i)
{
	for (;;) {
		size_t end = source_block_end(s, i), open;

		if (end == SOURCE_NONE)
			return s->n;
		open = source_match(s, end);
		if (open == SOURCE_NONE || !open ||
		    (!source_is(s, open - 1, "namespace") &&
		     !source_is(s, open - (open > 1 ? 2 : 1), "namespace") &&
		     s->at[open - 1].kind != TOKEN_TEXT))
			return end;
		i = end + 1;
	}
}

int declaration_edit_uses(const struct declaration *v, struct edits *e, const char *member, unsigned dims,
			  struct err *err)
{
	const struct source *s = v->s;
	size_t end = scope_end(s, v->m->end);
	int ret = 0;

	for (size_t i = 0; i < end && !ret; i++) {
		bool same = source_is_word(s, i) && source_is(s, i, v->name);

		if (uses_in_directive(s, i, v->name))
			return refuse_use(v, i, "named in a preprocessor line", err);
		/* What a function declares may have the same name in another function before it. */
		if (same && i < v->m->first && end == s->n && !source_is(s, i - (i != 0), "."))
			return refuse_use(v, i, "named before its declaration", err);
		if (same && i > v->m->name && !source_is(s, i - 1, ".") && !source_is(s, i - 1, "->"))
			ret = declaration_edit_use(v, e, i, &i, member, dims, err);
	}
	return ret;
}

static bool is_static(const struct declaration *v)
{
	for (size_t i = v->m->first; i < v->m->declarator; i++)
		if (source_is(v->s, i, "static"))
			return true;
	/* Within a function, or unnamed namespace: nothing else reaches it. */
	return false;
}

/* Nothing outside of the file may use the variable. */
int declaration_check_elsewhere(const struct declaration *v, struct err *err)
{
	struct patch *p = v->p;

	if (is_static(v) || scope_end(v->s, v->m->end) < v->s->n)
		return 0;
	tree_list(&p->tree);
	if (p->tree.cut)
		return err_set(err, -ENOTSUP,
			       "`%s` is not static, and there are too many sources to look for uses",
			       v->name);
	for (size_t t = 0; t < p->tree.n; t++) {
		struct patch_file *f = patch_open_tree(p, t, v->name);

		for (size_t i = 0; f && f != v->f && i < f->src.n; i++)
			if (source_is_word(&f->src, i) && source_is(&f->src, i, v->name))
				return err_set(err, -ENOTSUP, "`%s` is also named at %s:%u", v->name, f->name,
					       f->src.at[i].line);
	}
	return 0;
}
