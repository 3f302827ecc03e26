/* SPDX-License-Identifier: MIT */
#include "cmd/prove/output-lines.h"

#include <errno.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/shown.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/vec.h"

#define SHOWN     4   /* lines of a difference */
#define SHOWN_LEN 200 /* bytes of each */

struct expressions VEC(regex_t);
struct lines VEC(char *);

static void expressions_release(struct expressions *e)
{
	for (size_t i = 0; i < e->n; i++)
		regfree(&e->at[i]);
	vec_release(e);
}

static int compile(struct expressions *e, const char *const *ignore, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		regex_t r;
		char why[128];
		int ret = regcomp(&r, ignore[i], REG_EXTENDED | REG_NOSUB);

		if (ret) {
			regerror(ret, &r, why, sizeof(why));
			return err_set(err, -EINVAL, "--ignore=%s: %s", ignore[i], why);
		}
		vec_push(e, r);
	}
	return 0;
}

static bool ignored(const struct expressions *e, const char *line)
{
	for (size_t i = 0; i < e->n; i++)
		if (!regexec(&e->at[i], line, 0, NULL, 0))
			return true;
	return false;
}

static void output_lines_cut(struct output_lines *o, const struct expressions *e)
{
	struct lines lines = VEC_INIT;

	/* Bytes of zero would hide what is behind them. */
	for (size_t i = 0; i < o->text.len; i++)
		if (!o->text.s[i])
			o->text.s[i] = '\x01';
	for (char *line = o->text.s; *line;) {
		char *end = line + strcspn(line, "\n");
		bool more = *end;

		*end = '\0';
		if (!ignored(e, line))
			vec_push(&lines, line);
		line = end + more;
	}
	o->at = lines.at;
	o->n = lines.n;
}

int output_lines_read(struct output_lines *o, const char *path, const char *const *ignore, size_t n_ignore,
		      struct err *err)
{
	struct expressions e = VEC_INIT;
	int ret = compile(&e, ignore, n_ignore, err);

	*o = (struct output_lines){0};
	if (!ret)
		ret = fs_read(path, 0, &o->text, err);
	if (!ret)
		output_lines_cut(o, &e);
	expressions_release(&e);
	return ret;
}

static char **sorted(const struct output_lines *o)
{
	char **at = mem_new(o->n + 1, sizeof(*at));

	if (o->n) {
		memcpy(at, o->at, o->n * sizeof(*at));
		qsort(at, o->n, sizeof(*at), text_order);
	}
	return at;
}

static bool output_lines_same(char **a, char **b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(a[i], b[i]))
			return false;
	return true;
}

enum output_match output_lines_compare(const struct output_lines *a, const struct output_lines *b)
{
	char **sa, **sb;
	bool equal;

	if (a->n != b->n)
		return OUTPUT_DIFFERS;
	if (output_lines_same(a->at, b->at, a->n))
		return OUTPUT_EQUAL;
	sa = sorted(a);
	sb = sorted(b);
	equal = output_lines_same(sa, sb, a->n);
	free(sa);
	free(sb);
	return equal ? OUTPUT_REORDERED : OUTPUT_DIFFERS;
}

static bool has(char **sorted_lines, size_t n, char *line)
{
	return bsearch(&line, sorted_lines, n, sizeof(line), text_order);
}

/* A line that came from somewhere must not speak to the terminal. */
static void show_line(char sign, const struct output_lines *o, size_t i, struct strbuf *out)
{
	const char *line = i < o->n ? o->at[i] : "(the end)";
	size_t from;

	strbuf_printf(out, "  %c line %zu: ", sign, i + 1);
	from = out->len;
	strbuf_printf(out, "%.*s", SHOWN_LEN, line);
	shown_make(&out->s[from], "\t");
	strbuf_puts(out, "\n");
}

/* The first lines of @a that @b has nowhere. */
static size_t show_missing(const struct output_lines *a, const struct output_lines *b, char sign,
			   struct strbuf *out)
{
	char **sb = sorted(b);
	size_t shown = 0;

	for (size_t i = 0; i < a->n && shown < SHOWN; i++)
		if (!has(sb, b->n, a->at[i])) {
			show_line(sign, a, i, out);
			shown++;
		}
	free(sb);
	return shown;
}

void output_lines_show(const struct output_lines *a, const struct output_lines *b, struct strbuf *out)
{
	size_t shown, i = 0;

	if (output_lines_compare(a, b) == OUTPUT_EQUAL)
		return;
	shown = show_missing(a, b, '-', out);
	shown += show_missing(b, a, '+', out);
	if (shown)
		return;
	/* Only order or number differs. */
	while (i < a->n && i < b->n && !strcmp(a->at[i], b->at[i]))
		i++;
	show_line('-', a, i, out);
	show_line('+', b, i, out);
}

void output_lines_release(struct output_lines *o)
{
	free(o->at);
	strbuf_release(&o->text);
	*o = (struct output_lines){0};
}
