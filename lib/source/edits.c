/* SPDX-License-Identifier: MIT */
#include "lib/source/edits.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"

#define CONTEXT 3u

int edits_add(struct edits *e, size_t at, size_t drop, const char *add, struct err *err)
{
	size_t to = e->n;

	for (size_t i = 0; i < e->n; i++) {
		const struct edit *x = &e->at[i];

		if (x->at == at && x->drop == drop && !strcmp(x->add, add))
			return 0;
		if (at < x->at + x->drop && x->at < at + drop)
			return err_set(err, -EEXIST, "two changes meet in the same declaration");
	}
	vec_push(e, (struct edit){0});
	for (; to && e->at[to - 1].at > at; to--)
		e->at[to] = e->at[to - 1];
	e->at[to] = (struct edit){at, drop, mem_strdup(add)};
	return 0;
}

void edits_release(struct edits *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->at[i].add);
	vec_release(e);
}

void edits_copy(struct edits *to, const struct edits *e)
{
	*to = (struct edits)VEC_INIT;
	for (size_t i = 0; i < e->n; i++)
		vec_push(to, ((struct edit){e->at[i].at, e->at[i].drop, mem_strdup(e->at[i].add)}));
}

void edits_swap(struct edits *a, struct edits *b)
{
	struct edits old = *a;

	*a = *b;
	*b = old;
}

/* The text between two offsets, changes made, with the edits from *@next on. */
static void source_edits_apply(struct strbuf *out, const struct edits *e, size_t *next, const char *text,
			       size_t from, size_t to)
{
	while (*next < e->n && e->at[*next].at <= to) {
		const struct edit *x = &e->at[*next];

		/* What is put at the very end belongs here only if there is no more text. */
		if (x->at == to && text[to] && from != to && text[to - 1] == '\n')
			break;
		strbuf_add(out, text + from, x->at - from);
		strbuf_puts(out, x->add);
		from = x->at + x->drop;
		(*next)++;
	}
	if (from < to)
		strbuf_add(out, text + from, to - from);
}

void edits_apply(struct strbuf *out, const struct edits *e, const char *text, size_t len)
{
	size_t next = 0;

	source_edits_apply(out, e, &next, text, 0, len);
}

/* Offsets of line starts; the last entry is the end of the text. */
struct lines VEC(size_t);

static void edits_split(struct lines *l, const char *text, size_t len)
{
	vec_push(l, 0);
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\n' && i + 1 < len)
			vec_push(l, i + 1);
	if (len)
		vec_push(l, len);
}

static size_t line_of(const struct lines *l, size_t at)
{
	size_t i = 0;

	while (i + 2 < l->n && l->at[i + 1] <= at)
		i++;
	return i;
}

/* Lines of @text, each with @sign in front; one without an end is said to have none. */
static size_t print_lines(struct strbuf *out, char sign, const char *text, size_t len)
{
	size_t n = 0;

	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t bytes = end ? (size_t)(end - text) + 1 : len;

		strbuf_printf(out, "%c", sign);
		strbuf_add(out, text, bytes);
		if (!end)
			strbuf_puts(out, "\n\\ No newline at end of file\n");
		text += bytes;
		len -= bytes;
		n++;
	}
	return n;
}

/* Lines that edits change without a line between them. */
struct change {
	size_t from, to;    /* lines; to is behind */
	size_t first, last; /* edits */
};
struct changes VEC(struct change);

/* Whole lines that come in between two lines change neither. */
static bool adds_lines(const struct edit *x, const struct lines *l, size_t line)
{
	size_t len = strlen(x->add);

	return !x->drop && l->at[line] == x->at && line + 1 < l->n && len && x->add[len - 1] == '\n';
}

static void find_changes(struct changes *c, const struct edits *e, const struct lines *l)
{
	for (size_t i = 0; i < e->n; i++) {
		const struct edit *x = &e->at[i];
		size_t from = line_of(l, x->at);
		size_t to = adds_lines(x, l, from) ? from : line_of(l, x->at + x->drop) + 1;
		struct change *last = c->n ? &c->at[c->n - 1] : NULL;

		if (last && from < last->to) {
			last->to = to > last->to ? to : last->to;
			last->last = i;
		} else {
			vec_push(c, ((struct change){from, to, i, i}));
		}
	}
}

/* A hunk while it is put together. */
struct hunk {
	struct strbuf body;
	size_t old, new; /* lines */
	size_t start;    /* first old line, from 0 on */
};

struct diff {
	struct strbuf *out;
	const struct edits *e;
	const struct lines *l;
	const char *text;
	long shift; /* lines that came in so far */
};

static void context_text(struct hunk *h, const char *text, size_t len)
{
	size_t n = print_lines(&h->body, ' ', text, len);

	h->old += n;
	h->new += n;
}

static void context(const struct diff *d, struct hunk *h, size_t from, size_t to)
{
	context_text(h, d->text + d->l->at[from], d->l->at[to] - d->l->at[from]);
}

/* Whole lines at the beginning that two texts have in common, in bytes. */
static size_t same_start(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t same = 0;

	for (size_t i = 0; i < a_len && i < b_len && a[i] == b[i]; i++)
		if (a[i] == '\n')
			same = i + 1;
	return same;
}

/* The same at the end. */
static size_t same_end(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t same = 0;

	for (size_t i = 0; i < a_len && i < b_len && a[a_len - 1 - i] == b[b_len - 1 - i]; i++)
		if (i && a[a_len - 1 - i] == '\n')
			same = i;
	/* One of them may be nothing but what both end with. */
	if (a_len <= b_len && !memcmp(a, b + b_len - a_len, a_len) &&
	    (a_len == b_len || b[b_len - a_len - 1] == '\n'))
		return a_len;
	if (b_len < a_len && !memcmp(b, a + a_len - b_len, b_len) && a[a_len - b_len - 1] == '\n')
		return b_len;
	return same;
}

static void changed(const struct diff *d, struct hunk *h, const struct change *c)
{
	const char *text = d->text + d->l->at[c->from];
	size_t len = d->l->at[c->to] - d->l->at[c->from], start, end, next = 0;
	struct edits some = {d->e->at + c->first, c->last - c->first + 1, 0};
	struct strbuf sb = STRBUF_INIT;

	strbuf_puts(&sb, "");
	source_edits_apply(&sb, &some, &next, d->text, d->l->at[c->from], d->l->at[c->to]);
	start = same_start(text, len, sb.s, sb.len);
	end = same_end(text + start, len - start, sb.s + start, sb.len - start);
	context_text(h, text, start);
	h->old += print_lines(&h->body, '-', text + start, len - start - end);
	h->new += print_lines(&h->body, '+', sb.s + start, sb.len - start - end);
	context_text(h, text + len - end, end);
	strbuf_release(&sb);
}

static void print_hunk(struct diff *d, struct hunk *h)
{
	strbuf_printf(d->out, "@@ -%zu,%zu +%ld,%zu @@\n", h->start + (h->old != 0), h->old,
		      (long)h->start + d->shift + (h->new != 0), h->new);
	strbuf_add(d->out, h->body.s, h->body.len);
	d->shift += (long)h->new - (long)h->old;
	strbuf_release(&h->body);
}

static void print_changes(struct diff *d, const struct changes *c)
{
	size_t lines = d->l->n - 1;

	for (size_t i = 0, k; i < c->n; i = k) {
		struct hunk h = {.body = STRBUF_INIT};
		size_t end;

		h.start = c->at[i].from > CONTEXT ? c->at[i].from - CONTEXT : 0;
		context(d, &h, h.start, c->at[i].from);
		for (k = i; k < c->n && (k == i || c->at[k].from <= c->at[k - 1].to + 2 * CONTEXT); k++) {
			if (k > i)
				context(d, &h, c->at[k - 1].to, c->at[k].from);
			changed(d, &h, &c->at[k]);
		}
		end = c->at[k - 1].to + CONTEXT;
		context(d, &h, c->at[k - 1].to, end < lines ? end : lines);
		print_hunk(d, &h);
	}
}

void edits_diff(struct strbuf *out, const struct edits *e, const char *path, const char *text, size_t len)
{
	struct lines l = VEC_INIT;
	struct changes c = VEC_INIT;
	struct diff d = {out, e, &l, text, 0};
	/* With a tab behind it, a name may hold blanks. */
	const char *tab = strchr(path, ' ') ? "\t" : "";

	if (!e->n)
		return;
	edits_split(&l, text, len);
	if (l.n < 2)
		vec_push(&l, len);
	find_changes(&c, e, &l);
	strbuf_printf(out, "--- a/%s%s\n+++ b/%s%s\n", path, tab, path, tab);
	print_changes(&d, &c);
	vec_release(&l);
	vec_release(&c);
}
