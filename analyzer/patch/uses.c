/* SPDX-License-Identifier: MIT */
/* Where a variable is used, in its file and elsewhere. */
#include <errno.h>
#include <string.h>

#include "analyzer/patch/variable.h"

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

/* True if a preprocessor line at @i, that includes nothing, holds the word @name. */
static bool in_directive(const struct source *s, size_t i, const char *name)
{
	static const char words[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	const char *text = s->text + s->at[i].at, *end = text + s->at[i].len, *at = text;
	size_t len = strlen(name);

	if (s->at[i].kind != TOKEN_DIRECTIVE || !strncmp(text + 1 + strspn(text + 1, " \t"), "include", 7))
		return false;
	for (; (at = memmem(at, (size_t)(end - at), name, len)); at++)
		if (!strchr(words, at[-1]) && (at + len == end || !strchr(words, at[len])))
			return true;
	return false;
}

/* `sizeof(v) / sizeof(v[0])`, from the `sizeof` in front of token @i on: the number of elements, also afterwards. */
static size_t past_count(const struct source *s, size_t i)
{
	static const char *const rest[] = {")", "/", "sizeof", "(", NULL, "[", NULL, "]", ")"};
	size_t k = i + 1;

	if (i < 2 || !source_is(s, i - 1, "(") || !source_is(s, i - 2, "sizeof"))
		return i;
	for (size_t r = 0; r < sizeof(rest) / sizeof(rest[0]); r++, k++)
		if (rest[r] && !source_is(s, k, rest[r]))
			return i;
	return k - 1;
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

/* `sizeof v`, `sizeof(v)`, and what takes no element of it. */
static bool harmless(const struct source *s, size_t i)
{
	bool brackets = i > 1 && source_is(s, i - 1, "(") && source_is(s, i + 1, ")");
	size_t from = before_cast(s, i);

	if (i && (source_is(s, i - 1, "sizeof") || (brackets && source_is(s, i - 2, "sizeof"))))
		return true;
	return cleared(s, from, i) || shown(s, from, i);
}

/* `v.size()`: what a container says of itself. */
static bool of_container(const struct source *s, size_t i)
{
	static const char *const words[] = {"size", "empty", "clear", "resize", "reserve"};

	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
		if (source_is(s, i + 1, ".") && source_is(s, i + 2, words[k]) && source_is(s, i + 3, "(") &&
		    source_match(s, i + 3) != SOURCE_NONE && source_match(s, i + 3) <= i + 5)
			return true;
	return false;
}

/* `v = malloc(.. sizeof(*v) ..)`, `free(v)`, `!v`: a pointer to what grows with it. */
static bool of_pointer(const struct source *s, size_t i)
{
	if (i > 1 && source_is(s, i - 1, "(") && source_is(s, i - 2, "free") && source_is(s, i + 1, ")"))
		return true;
	if (i && source_is(s, i - 1, "!"))
		return true;
	if (i && source_is(s, i - 1, "*"))
		return source_is(s, i - 2, "sizeof") ||
		       (source_is(s, i - 2, "(") && source_is(s, i - 3, "sizeof") &&
			source_is(s, i + 1, ")"));
	if (!source_is(s, i + 1, "=") || source_is(s, i + 2, "=") || !source_is_word(s, i + 2) ||
	    !source_is(s, i + 3, "("))
		return false;
	for (i += 3; i < s->n && !source_is(s, i, ";"); i++)
		if (source_is(s, i, "sizeof"))
			return source_is(s, i + 1, "*") || source_is(s, i + 2, "*");
	return false;
}

static int refuse_use(const struct declaration *v, size_t i, const char *what, struct err *err)
{
	return err_set(err, -ENOTSUP, "`%s` is %s at %s:%u, not used element by element only", v->name, what,
		       v->f->name, v->s->at[i].line);
}

/* One use of the array of @dims dimensions at token *@i: in place of the element comes its @member. */
static int edit_use(const struct declaration *v, struct edits *e, size_t *i, const char *member,
		    unsigned dims, struct err *err)
{
	const struct source *s = v->s;
	size_t close, past = past_count(s, *i);

	if (past > *i) {
		*i = past;
		return 0;
	}
	if (*i && (source_is(s, *i - 1, ".") || source_is(s, *i - 1, "->")))
		return 0;
	if (harmless(s, *i) || (v->container && of_container(s, *i)) || (v->pointer && of_pointer(s, *i)))
		return 0;
	if (!source_is(s, *i + 1, "["))
		return refuse_use(v, *i, "used as a whole", err);
	if (*i && source_is_word(s, *i - 1) && !is_keyword(s, *i - 1))
		return refuse_use(v, *i, "behind another word, a type or a macro,", err);
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

		if (in_directive(s, i, v->name))
			return refuse_use(v, i, "named in a preprocessor line", err);
		/* What a function declares may have the same name in another function before it. */
		if (same && i < v->m->first && end == s->n && !source_is(s, i - (i != 0), "."))
			return refuse_use(v, i, "named before its declaration", err);
		if (same && i > v->m->name)
			ret = edit_use(v, e, &i, member, dims, err);
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
		struct patch_file *f = patch_open_tree(p, t);

		for (size_t i = 0; f && f != v->f && i < f->src.n; i++)
			if (source_is_word(&f->src, i) && source_is(&f->src, i, v->name))
				return err_set(err, -ENOTSUP, "`%s` is also named at %s:%u", v->name, f->name,
					       f->src.at[i].line);
	}
	return 0;
}
