/* SPDX-License-Identifier: MIT */
#include "lib/source/source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/vec.h"

/* Where the reading is. */
struct cut {
	struct source *s;
	size_t at;
	uint32_t line;
	bool fresh; /* nothing but blanks on this line so far */
};

static char peek(const struct cut *c, size_t ahead)
{
	return c->at + ahead < c->s->len ? c->s->text[c->at + ahead] : '\0';
}

static void source_step(struct cut *c)
{
	if (peek(c, 0) == '\n') {
		c->line++;
		c->fresh = true;
	}
	c->at++;
}

static void skip_comment(struct cut *c)
{
	bool line = peek(c, 1) == '/';

	source_step(c);
	source_step(c);
	while (c->at < c->s->len) {
		if (line && peek(c, 0) == '\n' && c->s->text[c->at - 1] != '\\')
			return;
		if (!line && peek(c, 0) == '*' && peek(c, 1) == '/') {
			source_step(c);
			source_step(c);
			return;
		}
		source_step(c);
	}
}

static bool at_comment(const struct cut *c)
{
	return peek(c, 0) == '/' && (peek(c, 1) == '/' || peek(c, 1) == '*');
}

static void skip_directive(struct cut *c)
{
	while (c->at < c->s->len && peek(c, 0) != '\n') {
		if (at_comment(c)) {
			skip_comment(c);
			continue;
		}
		if (peek(c, 0) == '\\' && peek(c, 1))
			source_step(c);
		source_step(c);
	}
}

static void skip_quoted(struct cut *c)
{
	char quote = peek(c, 0);

	source_step(c);
	while (c->at < c->s->len && peek(c, 0) != quote && peek(c, 0) != '\n') {
		if (peek(c, 0) == '\\')
			source_step(c);
		source_step(c);
	}
	if (peek(c, 0) == quote)
		source_step(c);
}

/* R"delimiter( ... )delimiter" of C++, at the quote. */
static void skip_raw(struct cut *c)
{
	const char *text = c->s->text;
	size_t from = c->at + 1, len = 0;

	while (len < 16 && from + len < c->s->len && text[from + len] != '(')
		len++;
	c->at = from + len;
	while (c->at < c->s->len) {
		if (peek(c, 0) == ')' && c->at + len + 1 < c->s->len &&
		    !memcmp(text + c->at + 1, text + from, len) && text[c->at + 1 + len] == '"') {
			c->at += len + 2;
			return;
		}
		source_step(c);
	}
}

static bool word_char(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_' || ch == '$' || (unsigned char)ch >= 0x80;
}

static bool raw_prefix(const struct cut *c, size_t from)
{
	return c->s->text[c->at - 1] == 'R' && c->at - from <= 3 && c->s->cxx;
}

static enum token_kind cut_word(struct cut *c)
{
	size_t from = c->at;
	bool number = isdigit((unsigned char)peek(c, 0));

	while (word_char(peek(c, 0)) ||
	       (number && (peek(c, 0) == '.' || (peek(c, 0) == '\'' && c->s->cxx && word_char(peek(c, 1))))))
		source_step(c);
	if (number)
		return TOKEN_NUMBER;
	if (peek(c, 0) == '"' && raw_prefix(c, from)) {
		skip_raw(c);
		return TOKEN_TEXT;
	}
	return TOKEN_WORD;
}

static enum token_kind cut_sign(struct cut *c)
{
	bool two = (peek(c, 0) == ':' && peek(c, 1) == ':') || (peek(c, 0) == '-' && peek(c, 1) == '>');

	source_step(c);
	if (two)
		source_step(c);
	return TOKEN_SIGN;
}

static void cut_token(struct cut *c)
{
	struct token t = {.at = c->at, .line = c->line};
	char ch = peek(c, 0);
	bool fresh = c->fresh;

	c->fresh = false;
	if (ch == '#' && fresh) {
		skip_directive(c);
		t.kind = TOKEN_DIRECTIVE;
	} else if (ch == '"' || ch == '\'') {
		skip_quoted(c);
		t.kind = TOKEN_TEXT;
	} else if (word_char(ch)) {
		t.kind = cut_word(c);
	} else {
		t.kind = cut_sign(c);
	}
	t.len = (c->at < c->s->len ? c->at : c->s->len) - t.at;
	vec_push(c->s, t);
}

static int bracket(const struct source *s, size_t i)
{
	const char *all = "([{)]}", *found;

	if (s->at[i].kind != TOKEN_SIGN || s->at[i].len != 1)
		return 0;
	found = strchr(all, s->text[s->at[i].at]);
	return !found ? 0 : found - all < 3 ? 1 : -1;
}

/* Pair the brackets, of whatever kind. */
static void match_brackets(struct source *s)
{
	struct {
		size_t *at;
		size_t n, cap;
	} open = VEC_INIT;

	for (size_t i = 0; i < s->n; i++) {
		int way = bracket(s, i);

		s->at[i].match = SOURCE_NONE;
		if (way > 0) {
			vec_push(&open, i);
		} else if (way < 0 && open.n) {
			s->at[i].match = open.at[--open.n];
			s->at[s->at[i].match].match = i;
		}
	}
	vec_release(&open);
}

void source_parse(struct source *s, const char *path, const char *text, size_t len)
{
	struct cut c = {.s = s, .line = 1, .fresh = true};

	*s = (struct source){.path = mem_strdup(path), .text = mem_strndup(text, len), .len = len};
	s->cxx = source_is_cxx(path);
	while (c.at < s->len) {
		if (at_comment(&c))
			skip_comment(&c);
		else if (isspace((unsigned char)peek(&c, 0)) || !peek(&c, 0) ||
			 (peek(&c, 0) == '\\' && isspace((unsigned char)peek(&c, 1))))
			source_step(&c);
		else
			cut_token(&c);
	}
	match_brackets(s);
}

int source_read(struct source *s, const char *path, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	int ret = fs_read(path, SOURCE_MAX, &sb, err);

	*s = (struct source){0};
	if (!ret)
		source_parse(s, path, sb.s ? sb.s : "", sb.len);
	strbuf_release(&sb);
	return ret;
}

void source_release(struct source *s)
{
	free(s->path);
	free(s->text);
	vec_release(s);
}

bool source_is_cxx(const char *path)
{
	static const char *const ends[] = {".cc",  ".cpp", ".cxx", ".c++", ".C",   ".hh", ".hpp",
					   ".hxx", ".h++", ".H",   ".ii",  ".tcc", ".ipp"};
	size_t len = strlen(path);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (len > strlen(ends[i]) && !strcmp(path + len - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

bool source_is_fortran(const char *path)
{
	static const char *const ends[] = {"f",   "for", "ftn", "fpp", "f77",
					   "f90", "f95", "f03", "f08", "f18"};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!strcasecmp(dot + 1, ends[i]))
			return true;
	return false;
}

bool source_is(const struct source *s, size_t i, const char *text)
{
	return i < s->n && s->at[i].len == strlen(text) &&
	       !memcmp(s->text + s->at[i].at, text, s->at[i].len) && s->at[i].kind != TOKEN_TEXT;
}

bool source_is_any(const struct source *s, size_t i, const char *const *words)
{
	for (; *words; words++)
		if (source_is(s, i, *words))
			return true;
	return false;
}

bool source_is_capitals(const struct source *s, size_t i)
{
	bool upper = false;

	if (!source_is_word(s, i) || s->at[i].len < 2)
		return false;
	for (size_t k = 0; k < s->at[i].len; k++) {
		unsigned char c = (unsigned char)s->text[s->at[i].at + k];

		if (islower(c))
			return false;
		upper |= isupper(c) != 0;
	}
	return upper;
}

bool source_is_word(const struct source *s, size_t i)
{
	return i < s->n && s->at[i].kind == TOKEN_WORD;
}

size_t source_match(const struct source *s, size_t i)
{
	return i < s->n ? s->at[i].match : SOURCE_NONE;
}

size_t source_block_end(const struct source *s, size_t i)
{
	int depth = 0;

	for (; i < s->n; i++) {
		if (source_is(s, i, "}") && !depth--)
			return i;
		depth += source_is(s, i, "{");
	}
	return SOURCE_NONE;
}

char *source_indent(const struct source *s, size_t i)
{
	size_t from = s->at[i].at, to;

	while (from && s->text[from - 1] != '\n')
		from--;
	for (to = from; s->text[to] == ' ' || s->text[to] == '\t';)
		to++;
	return mem_strndup(s->text + from, to - from);
}

char *source_piece(const struct source *s, size_t from, size_t to)
{
	return mem_strndup(s->text + s->at[from].at, s->at[to].at + s->at[to].len - s->at[from].at);
}

size_t source_arg_end(const struct source *s, size_t i, size_t end)
{
	int depth = 1;

	for (i++; i < end; i++) {
		depth += source_is(s, i, "<") - source_is(s, i, ">");
		if (!depth || (depth == 1 && source_is(s, i, ",")))
			return i - 1;
	}
	return SOURCE_NONE;
}
