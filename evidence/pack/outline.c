/* SPDX-License-Identifier: MIT */
#include "evidence/pack/outline.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CALLS 256 /* nested; more is taken for recursion */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Past a string or character constant that begins at @s. */
static const char *past_quote(const char *s)
{
	char quote = *s++;

	while (*s && *s != quote && *s != '\n')
		s += *s == '\\' && s[1] ? 2 : 1;
	return *s == quote ? s + 1 : s;
}

static const char *past_comment(const char *s)
{
	const char *end = s[1] == '/' ? strchr(s, '\n') : strstr(s + 2, "*/");

	if (!end)
		return s + strlen(s);
	return s[1] == '/' ? end : end + 2;
}

/* @text without comments, strings and constants, line for line. */
static char *bare(const char *text)
{
	struct strbuf out = STRBUF_INIT;
	const char *s = text, *next;

	strbuf_puts(&out, "");
	for (; *s; s = next) {
		bool comment = s[0] == '/' && (s[1] == '/' || s[1] == '*');

		next = comment ? past_comment(s) : *s == '"' || *s == '\'' ? past_quote(s) : s + 1;
		if (next == s + 1 && *s != '"' && *s != '\'') {
			strbuf_add(&out, s, 1);
			continue;
		}
		strbuf_puts(&out, comment ? " " : "0");
		for (const char *c = s; c < next; c++)
			if (*c == '\n')
				strbuf_puts(&out, "\n");
	}
	return strbuf_detach(&out);
}

/* ---- constants ---- */

static void one_constant(struct outline *s, const char *at)
{
	size_t n = 0;
	char *end;
	uint64_t value;

	while (is_word(at[n]))
		n++;
	if (!n || at[n] != ' ')
		return;
	for (end = (char *)at + n; *end == ' ' || *end == '('; end++)
		;
	if (!isdigit((unsigned char)*end))
		return;
	value = strtoull(end, &end, 0);
	while (*end == 'u' || *end == 'U' || *end == 'l' || *end == 'L' || *end == ')')
		end++;
	while (*end == ' ' || *end == '\t')
		end++;
	if (*end == '\n' || !*end) {
		struct outline_constant c = {mem_strndup(at, n), value};

		vec_push(&s->constants, c);
	}
}

void outline_add_constants(struct outline *s, const char *text)
{
	static const char word[] = "#define ";
	char *plain = bare(text);

	for (const char *at = strstr(plain, word); at; at = strstr(at, word)) {
		bool begins = at == plain || at[-1] == '\n';

		at += sizeof(word) - 1;
		if (begins)
			one_constant(s, at);
	}
	free(plain);
}

static uint64_t constant(const struct outline *s, const char *name, size_t n)
{
	if (n && isdigit((unsigned char)*name))
		return strtoull(name, NULL, 0);
	for (size_t i = s->constants.n; i-- > 0;)
		if (strlen(s->constants.at[i].name) == n && !memcmp(s->constants.at[i].name, name, n))
			return s->constants.at[i].value;
	return 0;
}

/* ---- functions ---- */

/* The name in a declarator: the word before the first parenthesis that is not an attribute's. */
static const char *outline_declared(const char *text, size_t len, size_t *n)
{
	for (size_t i = 0; i + 1 < len; i++) {
		size_t first = i, depth = 0;

		if (text[i] != '(')
			continue;
		while (first > 0 && is_word(text[first - 1]))
			first--;
		*n = i - first;
		if (*n && strncmp(text + first, "__attribute__", 13))
			return text + first;
		for (; i < len; i++) {
			depth += text[i] == '(';
			depth -= text[i] == ')';
			if (!depth)
				break;
		}
	}
	return NULL;
}

/* Lines, counted once from the front of a text to its end. */
struct lines {
	const char *at;
	uint32_t line;
};

static uint32_t line_of(struct lines *l, const char *at)
{
	for (; l->at < at; l->at++)
		l->line += *l->at == '\n';
	return l->line;
}

/* Where the declarator of the brace at @brace begins: behind the last thing that ended before it. */
static const char *declarator(const char *text, const char *brace)
{
	const char *s = brace;

	while (s > text && s[-1] != ';' && s[-1] != '}')
		s--;
	for (const char *line = s; line < brace;) { /* directives of the preprocessor end by their line */
		const char *end = memchr(line, '\n', (size_t)(brace - line));

		while (line < brace && isspace((unsigned char)*line) && line != end)
			line++;
		if (*line == '#' && end)
			s = end + 1;
		line = end ? end + 1 : brace;
	}
	return s;
}

static void one_function(struct outline *s, const char *file, const char *text, const char *brace,
			 struct lines *lines)
{
	const char *from = declarator(text, brace), *end = strstr(brace, "\n}");
	size_t n = 0;
	const char *name = outline_declared(from, (size_t)(brace - from), &n);
	struct outline_function *f;

	if (!name || !end)
		return;
	f = vec_add(&s->functions);
	f->name = mem_strndup(name, n);
	f->file = file;
	f->first = line_of(lines, name);
	f->last = line_of(lines, end) + 1;
	while (from < name && isspace((unsigned char)*from))
		from++;
	f->internal = !strncmp(from, "static", 6);
	f->body = mem_strndup(brace, (size_t)(end - brace));
}

void outline_add_file(struct outline *s, const char *file, const char *text)
{
	char *plain = bare(text);
	struct lines lines = {plain, 1};

	for (const char *at = strstr(plain, "\n{\n"); at; at = strstr(at + 1, "\n{\n"))
		one_function(s, file, plain, at + 1, &lines);
	free(plain);
}

/* ---- bodies ---- */

static bool word_is(const char *at, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(at, word, n);
}

/* The value of the constant behind @sign, which must stand before @end; 0: there is none. */
static uint64_t bound_behind(const struct outline *s, const char *from, const char *end, char sign)
{
	const char *at = memchr(from, sign, (size_t)(end - from));
	size_t n = 0;

	if (!at)
		return 0;
	at += 1 + strspn(at + 1, " (");
	while (is_word(at[n]))
		n++;
	return at < end ? constant(s, at, n) : 0;
}

/* `for (i = 0u; i < BOUND; i++)` or `for (i = BOUND; i > 0u; i--)`: BOUND, 0 if it is none. */
static uint64_t loop_bound(const struct outline *s, const char *at)
{
	const char *first = strchr(at, ';'), *second = first ? strchr(first + 1, ';') : NULL;
	const char *end = second ? strchr(second, '\n') : NULL;

	if (!end)
		return 0;
	if (memchr(first, '<', (size_t)(second - first)) && memmem(second, (size_t)(end - second), "++", 2))
		return bound_behind(s, first, second, '<');
	if (memchr(first, '>', (size_t)(second - first)) && memmem(second, (size_t)(end - second), "--", 2))
		return bound_behind(s, at, first, '=');
	return 0;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* Index of the function @name of @n bytes; the number of functions if there is none. */
static uint32_t pack_outline_find(const struct outline *s, const char *name, size_t n)
{
	size_t low = 0, high = s->sorted.n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const char *key = s->sorted.at[middle].key;
		int order = strncmp(key, name, n);

		if (!order && !key[n])
			return s->sorted.at[middle].index;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)s->functions.n;
}

struct walk {
	struct outline *outline;
	struct outline_function *f;
	uint64_t factor[64]; /* how often the block of each depth runs at most */
	unsigned depth;
	uint64_t next; /* of the block that opens next */
};

static void use(struct walk *w, const char *name, size_t n)
{
	uint32_t i = pack_outline_find(w->outline, name, n);
	struct outline_use u = {i, w->factor[w->depth]};

	if (i < w->outline->functions.n && &w->outline->functions.at[i] != w->f)
		vec_push(&w->f->uses, u);
}

static void word(struct walk *w, const char *at, size_t n)
{
	bool loop = word_is(at, n, "for") || word_is(at, n, "while") || word_is(at, n, "do");
	uint64_t here = w->factor[w->depth];

	if (loop || word_is(at, n, "if") || word_is(at, n, "case")) {
		uint64_t bound = word_is(at, n, "for") ? loop_bound(w->outline, at) : 0;

		w->f->decisions++;
		w->f->unbounded |= loop && !bound;
		w->f->branches = plus(w->f->branches, times(here, loop ? plus(bound, 1) : 1));
		w->next = loop && bound ? bound : 1;
	} else {
		use(w, at, n);
	}
}

static void body(struct outline *s, struct outline_function *f)
{
	struct walk w = {.outline = s, .f = f, .factor = {1}, .next = 1};

	for (const char *c = f->body; *c; c++) {
		size_t n = 0;

		while (is_word(c[n]))
			n++;
		if (n) {
			word(&w, c, n);
			c += n - 1;
		} else if (*c == '{' && w.depth + 1 < sizeof(w.factor) / sizeof(w.factor[0])) {
			w.factor[w.depth + 1] = times(w.factor[w.depth], w.next);
			w.depth++;
			w.next = 1;
		} else if (*c == '}' && w.depth) {
			w.depth--;
		}
	}
}

void outline_finish(struct outline *s)
{
	for (uint32_t i = 0; i < s->functions.n; i++)
		match_add(&s->sorted, mem_strdup(s->functions.at[i].name), i);
	match_sort(&s->sorted);
	for (size_t i = 0; i < s->functions.n; i++)
		body(s, &s->functions.at[i]);
}

const struct outline_function *outline_find(const struct outline *s, const char *name)
{
	uint32_t i = pack_outline_find(s, name, strlen(name));

	return i < s->functions.n ? &s->functions.at[i] : NULL;
}

static uint64_t branches(const struct outline *s, uint32_t i, uint32_t depth)
{
	const struct outline_function *f = &s->functions.at[i];
	uint64_t sum = f->unbounded || depth > MAX_CALLS ? UINT64_MAX : f->branches;

	for (size_t k = 0; k < f->uses.n && sum != UINT64_MAX; k++)
		sum = plus(sum, times(f->uses.at[k].times, branches(s, f->uses.at[k].function, depth + 1)));
	return sum;
}

uint64_t outline_branches(const struct outline *s, uint32_t i)
{
	return branches(s, i, 1);
}

static uint32_t depth_of(const struct outline *s, uint32_t i, uint32_t depth)
{
	const struct outline_function *f = &s->functions.at[i];
	uint32_t most = 1;

	for (size_t k = 0; k < f->uses.n; k++) {
		uint32_t below = depth > MAX_CALLS ? 0 : depth_of(s, f->uses.at[k].function, depth + 1);

		if (!below)
			return 0;
		most = below + 1 > most ? below + 1 : most;
	}
	return most;
}

uint32_t outline_depth(const struct outline *s, uint32_t i)
{
	return depth_of(s, i, 1);
}

void outline_release(struct outline *s)
{
	for (size_t i = 0; i < s->functions.n; i++) {
		free(s->functions.at[i].name);
		free(s->functions.at[i].body);
		vec_release(&s->functions.at[i].uses);
	}
	for (size_t i = 0; i < s->constants.n; i++)
		free(s->constants.at[i].name);
	vec_release(&s->functions);
	match_release(&s->sorted);
	vec_release(&s->constants);
}
