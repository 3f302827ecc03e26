/* SPDX-License-Identifier: MIT */
/*
 * `x = EXPRESSION;` becomes
 *
 *     x = __extension__ ({ float perseus_value = (EXPRESSION); __builtin_fabsf (perseus_value) < 0x1p-126f
 *                          ? __builtin_copysignf (0.0f, perseus_value) : perseus_value; });
 *
 * One statement stays one, whatever braces are round it; the expression is evaluated once; and
 * only results that would be denormal change, to the zero of their sign.  The type is that of
 * the value which leaves the expression, so nothing is rounded that was not before.
 */
#include "cmd/denormals/patch.h"

#include <errno.h>
#include <string.h>

#include "lib/source/edits.h"
#include "lib/source/source.h"
#include "lib/source/tree.h"

/* A file with births, and its changes. */
struct file {
	struct source source;
	struct edits edits;
	char *real;
};

static bool is_sign(const struct source *s, size_t i, char c)
{
	return s->at[i].kind == TOKEN_SIGN && s->at[i].len == 1 && s->text[s->at[i].at] == c;
}

/* Is sign @i `=`, and no part of ==, <=, +=, ...? */
static bool is_assignment(const struct source *s, size_t i)
{
	char before = s->at[i].at ? s->text[s->at[i].at - 1] : ' ', behind = s->text[s->at[i].at + 1];

	return is_sign(s, i, '=') && behind != '=' && !strchr("=<>!+-*/%&|^", before);
}

/* Does token @i only compute? */
static bool is_pure(const struct source *s, size_t i)
{
	const struct token *t = &s->at[i];
	char c = s->text[t->at], behind = s->text[t->at + t->len];

	if (t->kind == TOKEN_WORD)
		return i + 1 >= s->n || !is_sign(s, i + 1, '(');
	if (t->kind == TOKEN_NUMBER)
		return true;
	if (t->kind != TOKEN_SIGN || t->len > 1)
		return t->kind == TOKEN_SIGN;
	if ((c == '+' || c == '-') && behind == c)
		return false;
	return strchr("+-*/()[].?:<>!%&|", c) != NULL;
}

/* The statement `... = EXPRESSION;` of which a part is on @line: tokens of the expression, [*from, *to). */
static const char *find_expression(const struct source *s, uint32_t line, size_t *from, size_t *to)
{
	size_t i = 0, assignments = 0;

	while (i < s->n && s->at[i].line < line)
		i++;
	while (i && i < s->n && !is_sign(s, i - 1, ';') && !is_sign(s, i - 1, '{') && !is_sign(s, i - 1, '}'))
		i--;
	for (; i < s->n && !is_sign(s, i, ';'); i++) {
		if (is_sign(s, i, '{') || s->at[i].kind == TOKEN_DIRECTIVE)
			return "it is no statement of its own";
		/* The head of a loop or condition stands in front, in brackets. */
		if ((source_is(s, i, "for") || source_is(s, i, "if") || source_is(s, i, "while")) &&
		    source_match(s, i + 1) != SOURCE_NONE) {
			i = source_match(s, i + 1);
			assignments = 0;
			continue;
		}
		if (is_assignment(s, i)) {
			assignments++;
			*from = i + 1;
		} else if (is_sign(s, i, '=') && s->text[s->at[i].at + 1] != '=' &&
			   (!i || s->at[i - 1].at + s->at[i - 1].len == s->at[i].at)) {
			return "it changes its variable by += or the like";
		}
	}
	*to = i;
	if (i == s->n || assignments != 1 || *from == *to)
		return "it is no assignment of one value";
	if (s->at[*to].line < line || s->at[*from - 1].line > line)
		return "it is no assignment of one value";
	for (size_t k = *from; k < *to; k++)
		if (!is_pure(s, k))
			return "its expression calls a function or has another effect";
	return NULL;
}

/* Static initialisers of C++ are functions, but not in the source. */
static bool is_outside(const struct denormal_site *site)
{
	return !strncmp(site->function, "_GLOBAL__", 9) || strstr(site->function, "__static_initialization");
}

/*
 * The type of what leaves the expression on lines @first to @last of the function of @site; false: nothing
 * does, or values of several types.
 */
static bool type_of_value(const struct denormal *d, const struct denormal_site *site, uint32_t first,
			  uint32_t last, uint32_t *type)
{
	bool any = false;

	for (size_t i = 0; i < d->sites.n; i++) {
		const struct denormal_site *s = &d->sites.at[i];

		if (!(s->flags & PRS_DEN_SITE_ROOT) || s->line < first || s->line > last ||
		    strcmp(s->function, site->function) || strcmp(s->file, site->file))
			continue;
		if (any && s->type != *type)
			return false;
		*type = s->type;
		any = true;
	}
	return any;
}

static const char *patch_change(struct file *f, const struct denormal *d, const struct denormal_site *site)
{
	const struct source *s = &f->source;
	size_t from = 0, to = 0, at, len;
	struct err err = ERR_INIT;
	struct strbuf sb = STRBUF_INIT;
	const char *why, *suffix;
	uint32_t type = 0;
	int ret;

	if (source_is_fortran(s->path))
		return "it is Fortran: where (abs (x) < tiny (x)) x = 0 behind it does the same";
	if (is_outside(site))
		return "it gives a variable outside of functions its first value";
	why = find_expression(s, site->line, &from, &to);
	if (why)
		return why;
	if (!type_of_value(d, site, s->at[from].line, s->at[to].line, &type))
		return "it is not known which value leaves the expression";
	if (type != PRS_DEN_FLOAT && type != PRS_DEN_DOUBLE)
		return "it is neither float nor double";
	suffix = type == PRS_DEN_FLOAT ? "f" : "";
	at = s->at[from].at;
	len = s->at[to - 1].at + s->at[to - 1].len - at;
	strbuf_printf(&sb, "__extension__ ({ %s perseus_value = (%.*s); ", *suffix ? "float" : "double",
		      (int)len, s->text + at);
	strbuf_printf(&sb, "__builtin_fabs%s (perseus_value) < 0x1p-%s%s ", suffix, *suffix ? "126" : "1022",
		      suffix);
	strbuf_printf(&sb, "? __builtin_copysign%s (0.0%s, perseus_value) : perseus_value; })", suffix,
		      suffix);
	ret = edits_add(&f->edits, at, len, sb.s, &err);
	strbuf_release(&sb);
	return ret ? "another change meets it" : NULL;
}

/* The file below the tree that @name, as the compiler was given it, ends like. */
static char *find_file(const struct tree *t, const char *name)
{
	char *real = tree_real(t, name);

	for (const char *at = strchr(name, '/'); !real && at; at = strchr(at + 1, '/'))
		real = tree_real(t, at + 1);
	return real;
}

struct files VEC(struct file);

static struct file *file_of(struct files *files, const struct tree *t, const char *name, struct err *err)
{
	char *real = find_file(t, name);
	struct file f = {.real = real};

	for (size_t i = 0; real && i < files->n; i++)
		if (!strcmp(files->at[i].real, real)) {
			free(real);
			return &files->at[i];
		}
	if (!real) {
		err_set(err, -ENOENT, "it is not below '%s'", t->root);
		return NULL;
	}
	if (source_read(&f.source, real, err)) {
		free(real);
		return NULL;
	}
	vec_push(files, f);
	return &files->at[files->n - 1];
}

int births_patch(const struct denormal *d, const char *root, struct strbuf *diff, struct strbuf *notes,
		 struct err *err)
{
	struct files files = VEC_INIT;
	struct tree tree;
	int ret = tree_open(&tree, root, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < d->sites.n; i++) {
		const struct denormal_site *s = &d->sites.at[i];
		struct err why = ERR_INIT;
		struct file *f = s->births ? file_of(&files, &tree, s->file, &why) : NULL;
		const char *refusal = !s->births ? NULL : f ? patch_change(f, d, s) : why.msg;

		if (refusal)
			strbuf_printf(notes, "  %s:%u is not changed: %s\n", s->file, s->line, refusal);
	}
	for (size_t i = 0; i < files.n; i++) {
		struct file *f = &files.at[i];

		edits_diff(diff, &f->edits, tree_name(&tree, f->real), f->source.text, f->source.len);
		edits_release(&f->edits);
		source_release(&f->source);
		free(f->real);
	}
	vec_release(&files);
	tree_release(&tree);
	return 0;
}
