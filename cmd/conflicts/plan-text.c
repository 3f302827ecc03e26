/* SPDX-License-Identifier: MIT */
#include "cmd/conflicts/plan-text.h"

#include <errno.h>
#include <string.h>

#include "yaml/doc.h"
#include "yaml/plan-layout.h"

/* Where the new items go: in front of byte @at, their dashes behind @indent blanks. */
struct gap {
	size_t at;
	size_t indent;
	bool list; /* the list is there */
};

static size_t start_of_line(const struct strbuf *text, uint32_t line)
{
	const char *s = text->s;

	for (; line > 1 && (s = strchr(s, '\n')); line--)
		s++;
	return s ? (size_t)(s - text->s) : text->len;
}

/* The line that the key behind the list begins at; behind the last one: none has that. */
static uint32_t line_behind(const struct doc *d, uint32_t list)
{
	uint32_t next = d->nodes[list].next;

	return next == DOC_NONE ? UINT32_MAX : d->nodes[next].line;
}

static bool says_nothing(const char *line)
{
	line += strspn(line, " \t\r");
	return !*line || *line == '\n' || *line == '#' || !strncmp(line, "...", 3);
}

/* Back over blank lines and comments in front of @at. */
static size_t behind_content(const struct strbuf *text, size_t at)
{
	while (at) {
		size_t start = at - 1;

		while (start && text->s[start - 1] != '\n')
			start--;
		if (!says_nothing(text->s + start))
			break;
		at = start;
	}
	return at;
}

static int find_gap(struct gap *g, const struct doc *d, const struct strbuf *text, struct err *err)
{
	uint32_t list = doc_get(d, 0, "layouts"), behind;
	size_t start;

	*g = (struct gap){behind_content(text, text->len), 2, false};
	if (list == DOC_NONE)
		return 0;
	start = d->nodes[list].n ? start_of_line(text, d->nodes[d->nodes[list].first].line) : text->len;
	g->indent = strspn(text->s + start, " ");
	if (text->s[start + g->indent] != '-')
		return doc_fail(d, list, err,
				"the list `layouts` is not one item below the other, and so it cannot be "
				"extended");
	behind = line_behind(d, list);
	g->list = true;
	g->at = behind_content(text, behind == UINT32_MAX ? text->len : start_of_line(text, behind));
	return 0;
}

static void put_items(struct strbuf *out, const struct gap *g, const struct plan_layout *const *layouts,
		      size_t n)
{
	if (!g->list)
		strbuf_puts(out, "layouts:\n");
	for (size_t i = 0; i < n; i++) {
		size_t from = out->len;

		schema_text(&plan_layout_schema, layouts[i], (int)g->indent + 2, i, out);
		out->s[from + g->indent] = '-';
	}
}

/* @more behind @out, with the line ends of @text. */
static void put_with_ends(struct strbuf *out, const struct strbuf *more, const struct strbuf *text)
{
	const char *end = text->len ? strchr(text->s, '\n') : NULL;
	bool carriage = end && end > text->s && end[-1] == '\r';

	for (size_t i = 0; i < more->len; i++) {
		if (carriage && more->s[i] == '\n')
			strbuf_puts(out, "\r");
		strbuf_add(out, more->s + i, 1);
	}
}

/* Is @text the plan @old with @n layouts more? */
static int check_extended(const struct strbuf *text, const char *name, struct plan *old, size_t n,
			  struct err *err)
{
	struct plan p;
	char was[65], is[65];
	size_t all;
	int ret = plan_parse(&p, text->s, text->len, name, err);

	if (ret)
		return err_prefix(err, "with the new layouts");
	all = p.n_layouts;
	p.n_layouts = old->n_layouts;
	plan_hash(old, was);
	if (all == old->n_layouts + n)
		plan_hash(&p, is);
	if (all != old->n_layouts + n || strcmp(was, is))
		ret = err_set(err, -EINVAL, "'%s' is written in a way that cannot be extended", name);
	p.n_layouts = all;
	plan_release(&p);
	return ret;
}

int plan_text_extend(struct strbuf *out, const struct strbuf *text, const char *name,
		     const struct plan_layout *const *layouts, size_t n, struct err *err)
{
	struct strbuf more = STRBUF_INIT;
	struct plan old;
	struct doc d;
	struct gap g;
	int ret = doc_parse(&d, text->s, text->len, name, err);

	if (ret)
		return ret;
	ret = find_gap(&g, &d, text, err);
	doc_release(&d);
	if (ret)
		return ret;
	strbuf_add(out, text->s, g.at);
	if (g.at && text->s[g.at - 1] != '\n')
		strbuf_puts(&more, "\n");
	put_items(&more, &g, layouts, n);
	put_with_ends(out, &more, text);
	strbuf_release(&more);
	strbuf_add(out, text->s + g.at, text->len - g.at);
	ret = plan_parse(&old, text->s, text->len, name, err);
	if (ret)
		return ret;
	ret = check_extended(out, name, &old, n, err);
	plan_release(&old);
	return ret;
}
