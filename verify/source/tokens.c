/* SPDX-License-Identifier: MIT */
#include "verify/source/tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES  ((size_t)32 << 20)
#define TOKENS_MAX  ((size_t)1 << 23)
#define DEPTH       8 /* of includes, of constants in constants, of conditions */
#define NAME_BYTES  4096
#define LETTERS     "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define LETTER_LIKE LETTERS "0123456789"

/* One file while it is read. */
struct reader {
	struct tokens *out;
	const char *path, *s;
	uint32_t file, line;
	int depth;
	bool taken[DEPTH]; /* by open #if...: is its branch read? */
	int open;
	struct fault *f;
};

static int tokens_bad(struct reader *r, const char *what)
{
	return fault_set(r->f, "%s line %u: %s", r->path, r->line, what);
}

static char *tokens_copy(const char *s, size_t n)
{
	char *out = need(n + 1, 1);

	memcpy(out, s, n);
	return out;
}

static int push(struct reader *r, struct token **list, size_t *n, struct token t)
{
	if (*n >= TOKENS_MAX) {
		free(t.s);
		return tokens_bad(r, "too much source");
	}
	t.file = r->file;
	t.line = r->line;
	*list = need_more(*list, *n, sizeof(t));
	(*list)[(*n)++] = t;
	return 0;
}

/* Skip blanks, comments and joined lines; stops at the end of a line if @in_line.  -1: a comment without end. */
static int skip(struct reader *r, bool in_line)
{
	for (;;) {
		if (*r->s == '\n' && in_line)
			return 0;
		if (r->s[0] == '\\' && r->s[1] == '\n') {
			r->line++;
			r->s += 2;
		} else if (r->s[0] == '/' && r->s[1] == '/') {
			r->s += strcspn(r->s, "\n");
		} else if (r->s[0] == '/' && r->s[1] == '*') {
			const char *end = strstr(r->s + 2, "*/");

			if (!end)
				return tokens_bad(r, "a comment without end");
			for (; r->s < end + 2; r->s++)
				r->line += *r->s == '\n';
		} else if (*r->s && strchr(" \t\r\n\f\v", *r->s)) {
			r->line += *r->s++ == '\n';
		} else {
			return 0;
		}
	}
}

static int read_number(struct reader *r, struct token *t)
{
	char *end;
	size_t n;

	t->kind = TOKEN_NUMBER;
	t->number = strtoull(r->s, &end, 0);
	n = strspn(end, "uUlL");
	t->bits = t->number > UINT32_MAX || memchr(end, 'l', n) || memchr(end, 'L', n) ? 64 : 32;
	if (n > 3 || (end[n] && strchr(LETTER_LIKE ".", end[n])))
		return tokens_bad(r, "a number of a kind that generated code does not have");
	r->s = end + n;
	return 0;
}

static int read_text(struct reader *r, struct token *t)
{
	size_t n = strcspn(r->s + 1, "\"\n\\");

	if (r->s[n + 1] != '"')
		return tokens_bad(r, "a text of a kind that generated code does not have");
	t->kind = TOKEN_TEXT;
	t->s = tokens_copy(r->s + 1, n);
	r->s += n + 2;
	return 0;
}

/* Other spellings of brackets and of '#'. */
static bool is_digraph(const char *s)
{
	return !strncmp(s, "<%", 2) || !strncmp(s, "%>", 2) || !strncmp(s, "<:", 2) || !strncmp(s, ":>", 2) ||
	       !strncmp(s, "%:", 2);
}

static int read_sign(struct reader *r, struct token *t)
{
	static const char *const two[] = {
		"->", "++", "--", "==", "!=", "<=", ">=", "<<", ">>", "+=", "-=", "&&", "||"};
	size_t n = 1;

	if (!strchr("(){}[];,.:=<>+-*/%&|^!~?", *r->s) || is_digraph(r->s))
		return tokens_bad(r, "a character that generated code does not have");
	for (size_t i = 0; i < sizeof(two) / sizeof(*two); i++)
		if (!strncmp(r->s, two[i], 2))
			n = 2;
	t->kind = TOKEN_SIGN;
	t->s = tokens_copy(r->s, n);
	r->s += n;
	return 0;
}

static int read_token(struct reader *r, struct token *t)
{
	size_t n;

	*t = (struct token){0};
	if (*r->s >= '0' && *r->s <= '9')
		return read_number(r, t);
	if (*r->s == '"')
		return read_text(r, t);
	n = strspn(r->s, LETTER_LIKE);
	if (!n)
		return read_sign(r, t);
	t->kind = TOKEN_NAME;
	t->s = tokens_copy(r->s, n);
	r->s += n;
	return 0;
}

static const struct macro *macro_of(const struct tokens *t, const char *name)
{
	for (size_t i = 0; i < t->n_macros; i++)
		if (!strcmp(t->macro[i].name, name))
			return &t->macro[i];
	return NULL;
}

/* Add @t to the source; the name of a constant is replaced by what it stands for. */
static int tokens_add(struct reader *r, struct token t, int depth)
{
	const struct macro *m = t.kind == TOKEN_NAME ? macro_of(r->out, t.s) : NULL;

	if (!m)
		return push(r, &r->out->token, &r->out->n, t);
	free(t.s);
	if (depth == DEPTH)
		return tokens_bad(r, "constants stand for each other");
	for (size_t i = 0; i < m->n; i++) {
		struct token part = r->out->body[m->first + i];

		part.s = part.s ? tokens_copy(part.s, strlen(part.s)) : NULL;
		if (tokens_add(r, part, depth + 1))
			return -1;
	}
	return 0;
}

/* Names that the generator gives constants: headers of the system define none of them. */
static bool tokens_is_ours(const char *name)
{
	static const char *const lead[] = {"PERSEUS_", "THREAD_", "CREATE_", "CORE_", "DOMAIN_", "STEP_"};

	for (size_t i = 0; i < sizeof(lead) / sizeof(*lead); i++)
		if (!strncmp(name, lead[i], strlen(lead[i])))
			return true;
	return false;
}

static int define(struct reader *r)
{
	struct tokens *out = r->out;
	struct macro m = {.first = out->n_body};
	size_t n = strspn(r->s, LETTER_LIKE);
	struct token t;

	m.name = tokens_copy(r->s, n);
	r->s += n;
	if (!n || macro_of(out, m.name) || *r->s == '(' || !tokens_is_ours(m.name)) {
		free(m.name);
		return tokens_bad(r, "expected one #define of a name for a constant");
	}
	out->macro = need_more(out->macro, out->n_macros, sizeof(m));
	out->macro[out->n_macros++] = m;
	while (!skip(r, true) && *r->s && *r->s != '\n') {
		if (read_token(r, &t) || push(r, &out->body, &out->n_body, t))
			return -1;
		out->macro[out->n_macros - 1].n++;
	}
	return 0;
}

static int tokens_read_file(struct tokens *out, const char *path, int depth, struct fault *f);

static int include(struct reader *r)
{
	char name[NAME_BYTES];
	const char *slash = strrchr(r->path, '/');
	size_t folder = slash ? (size_t)(slash - r->path) + 1 : 0, n;

	/* Types and limits, which the reader knows; other headers may define what is used here. */
	if (*r->s == '<') {
		n = strcspn(r->s, ">\n");
		if (strncmp(r->s, "<stdint.h>", n + 1) && strncmp(r->s, "<stdbool.h>", n + 1) &&
		    strncmp(r->s, "<stddef.h>", n + 1))
			return tokens_bad(r, "a header of the system that generated code does not have");
		r->s += n + 1;
		return 0;
	}
	n = *r->s == '"' ? strcspn(r->s + 1, "\"\n") : 0;
	if (!n || r->s[n + 1] != '"')
		return tokens_bad(r, "expected #include \"FILE\"");
	if (snprintf(name, sizeof(name), "%.*s%.*s", (int)folder, r->path, (int)n, r->s + 1) >=
	    (int)sizeof(name))
		return tokens_bad(r, "the name of the file is too long");
	r->s += n + 2;
	return tokens_read_file(r->out, name, r->depth + 1, r->f);
}

static bool is_live(const struct reader *r)
{
	for (int i = 0; i < r->open; i++)
		if (!r->taken[i])
			return false;
	return true;
}

static int tokens_condition(struct reader *r, bool if_defined)
{
	size_t n = strspn(r->s, LETTER_LIKE);
	char *name = tokens_copy(r->s, n);
	bool defined = macro_of(r->out, name);
	bool known = !strncmp(name, "PERSEUS_", 8) || !strcmp(name, "__cplusplus");

	free(name);
	if (!known || r->open == DEPTH)
		return tokens_bad(r, "a condition that generated code does not have");
	r->s += n;
	r->taken[r->open++] = defined == if_defined;
	return 0;
}

/* What stands behind '#'. */
static int directive(struct reader *r)
{
	static const char *const words[] = {"ifdef", "ifndef", "else", "endif", "define", "include", "error"};
	size_t n, i = 0;

	if (skip(r, true))
		return -1;
	n = strspn(r->s, LETTERS);
	while (i < 7 && (strlen(words[i]) != n || strncmp(r->s, words[i], n)))
		i++;
	r->s += n;
	if (skip(r, true))
		return -1;
	if (i < 2)
		return tokens_condition(r, i == 0);
	if (i < 4 && !r->open)
		return tokens_bad(r, "nothing is open here");
	if (i == 2)
		r->taken[r->open - 1] = !r->taken[r->open - 1];
	if (i == 3)
		r->open--;
	if (i < 4 || !is_live(r))
		return 0;
	return i == 4   ? define(r)
	       : i == 5 ? include(r)
			: tokens_bad(r, i == 6 ? "#error" : "an unknown directive");
}

/* The rest of a line that is not read, but for comments, which may go on behind it. */
static int skip_line(struct reader *r)
{
	while (!skip(r, true)) {
		size_t n = *r->s == '"' ? strcspn(r->s + 1, "\"\n\\") : 0;

		if (!*r->s || *r->s == '\n')
			return 0;
		if (*r->s == '"' && r->s[n + 1] != '"')
			return tokens_bad(r, "a text of a kind that generated code does not have");
		r->s += *r->s == '"' ? n + 2 : 1;
	}
	return -1;
}

static int end_directive(struct reader *r)
{
	if (!is_live(r))
		return skip_line(r);
	if (skip(r, true))
		return -1;
	return *r->s && *r->s != '\n' ? tokens_bad(r, "something behind a directive") : 0;
}

static int read_rest(struct reader *r)
{
	struct token t;

	while (!skip(r, false) && *r->s) {
		if (*r->s == '#') {
			r->s++;
			if (directive(r) || end_directive(r))
				return -1;
		} else if (!is_live(r)) {
			if (skip_line(r))
				return -1;
		} else if (read_token(r, &t) || tokens_add(r, t, 0)) {
			return -1;
		}
	}
	return *r->s ? -1 : r->open ? tokens_bad(r, "a condition is not ended") : 0;
}

/* Is what stands from the begin of the line up to the backslash at @s the name of a constant only? */
static bool is_head(const char *begin, const char *s)
{
	while (s > begin && s[-1] != '\n')
		s--;
	return !strncmp(s, "#define ", 8) && s[8 + strspn(s + 8, LETTER_LIKE)] == ' ' &&
	       s[9 + strspn(s + 8, LETTER_LIKE)] == '\\';
}

/*
 * Compilers join lines, and replace trigraphs, before they know of comments and
 * names; the one joint that generated code has is behind the name of a constant.
 */
static int check_lines(struct reader *r)
{
	const char *begin = r->s;

	for (const char *s = begin; *s; s++) {
		size_t blanks = *s == '\\' ? strspn(s + 1, " \t\r\f\v") : 0;

		r->line += *s == '\n';
		if ((*s == '\\' && s[blanks + 1] == '\n' && (blanks || !is_head(begin, s))) || *s == '\r')
			return tokens_bad(r, "a joined line that generated code does not have");
		if (s[0] == '?' && s[1] == '?' && s[2] && strchr("=/'()!<>-", s[2]))
			return tokens_bad(r, "a trigraph");
	}
	r->line = 1;
	return 0;
}

static int tokens_read_file(struct tokens *out, const char *path, int depth, struct fault *f)
{
	struct input in;
	struct reader r = {
		.out = out, .path = path, .file = (uint32_t)out->n_files, .line = 1, .depth = depth, .f = f};
	int ret;

	if (depth == DEPTH)
		return fault_set(f, "%s: files include each other", path);
	if (input_read(&in, path, FILE_BYTES, f))
		return -1;
	out->file = need_more(out->file, out->n_files, sizeof(*out->file));
	out->file[out->n_files++] = tokens_copy(path, strlen(path));
	r.s = (const char *)in.data;
	ret = strlen(r.s) == in.size ? 0 : fault_set(f, "%s holds a zero byte", path);
	if (!ret)
		ret = check_lines(&r);
	if (!ret)
		ret = read_rest(&r);
	input_release(&in);
	return ret;
}

int tokens_read(struct tokens *t, const char *path, struct fault *f)
{
	*t = (struct tokens){0};
	if (tokens_read_file(t, path, 0, f))
		return -1;
	t->token = need_more(t->token, t->n, sizeof(*t->token));
	t->token[t->n] = (struct token){.kind = TOKEN_END, .line = t->n ? t->token[t->n - 1].line : 1};
	return 0;
}

static void release_list(struct token *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i].s);
	free(list);
}

void tokens_release(struct tokens *t)
{
	release_list(t->token, t->n);
	release_list(t->body, t->n_body);
	for (size_t i = 0; i < t->n_macros; i++)
		free(t->macro[i].name);
	for (size_t i = 0; i < t->n_files; i++)
		free(t->file[i]);
	free(t->macro);
	free(t->file);
	*t = (struct tokens){0};
}
