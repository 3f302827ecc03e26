/* SPDX-License-Identifier: MIT */
#include "yaml/doc.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "lib/mem.h"

struct builder {
	struct doc *doc;
	uint32_t cap;
	int depth;
	struct {
		uint32_t node;
		uint32_t last;
		uint32_t children;
	} open[DOC_MAX_DEPTH];
	struct err *err;
};

static int fail_at(const struct doc *d, size_t line, size_t column, struct err *err, const char *what)
{
	return err_set(err, -EINVAL, "%s line %zu, column %zu: %s", d->name, line, column, what);
}

int doc_fail(const struct doc *d, uint32_t node, struct err *err, const char *fmt, ...)
{
	char what[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return fail_at(d, d->nodes[node].line, d->nodes[node].column, err, what);
}

static int fail_mark(const struct builder *b, yaml_mark_t mark, const char *what)
{
	return fail_at(b->doc, mark.line + 1, mark.column + 1, b->err, what);
}

/* Append a node and hook it to the innermost open list or map. */
static int add_node(struct builder *b, enum doc_kind kind, yaml_mark_t mark, uint32_t *at)
{
	struct doc *d = b->doc;
	uint32_t i = d->n_nodes;

	if (i == DOC_MAX_NODES)
		return err_set(b->err, -EFBIG, "%s line %zu: more than %u values in one document", d->name,
			       mark.line + 1, DOC_MAX_NODES);
	if (i == b->cap) {
		b->cap = b->cap ? 2 * b->cap : 64;
		d->nodes = mem_resize(d->nodes, b->cap, sizeof(*d->nodes));
	}
	d->nodes[i] = (struct doc_node){.kind = kind,
					.line = (uint32_t)mark.line + 1,
					.column = (uint32_t)mark.column + 1,
					.first = DOC_NONE,
					.next = DOC_NONE};
	d->n_nodes++;
	if (b->depth) {
		if (b->open[b->depth - 1].last == DOC_NONE)
			d->nodes[b->open[b->depth - 1].node].first = i;
		else
			d->nodes[b->open[b->depth - 1].last].next = i;
		b->open[b->depth - 1].last = i;
		b->open[b->depth - 1].children++;
	}
	*at = i;
	return 0;
}

static bool expects_key(const struct builder *b)
{
	return b->depth && b->doc->nodes[b->open[b->depth - 1].node].kind == DOC_MAP &&
	       b->open[b->depth - 1].children % 2 == 0;
}

static int open_node(struct builder *b, const yaml_event_t *e, enum doc_kind kind)
{
	const yaml_char_t *anchor =
		kind == DOC_LIST ? e->data.sequence_start.anchor : e->data.mapping_start.anchor;
	const yaml_char_t *tag = kind == DOC_LIST ? e->data.sequence_start.tag : e->data.mapping_start.tag;
	uint32_t i;
	int ret;

	if (anchor || tag)
		return fail_mark(b, e->start_mark, "anchors and tags are not part of this document format");
	if (expects_key(b))
		return fail_mark(b, e->start_mark, "a key must be a plain word");
	if (b->depth == DOC_MAX_DEPTH)
		return fail_mark(b, e->start_mark, "nested too deeply for any document of this format");
	ret = add_node(b, kind, e->start_mark, &i);
	if (ret)
		return ret;
	b->open[b->depth].node = i;
	b->open[b->depth].last = DOC_NONE;
	b->open[b->depth].children = 0;
	b->depth++;
	return 0;
}

/* Keys by text, those of one text as they stand. */
static int by_key(const void *a, const void *b, void *arg)
{
	const struct doc *d = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = strcmp(doc_text(d, x), doc_text(d, y));

	return order ? order : (x > y) - (x < y);
}

/* A key that is there twice would be read by one reader of the file as its first value, by another as its last. */
static int check_keys(const struct builder *b, const struct doc_node *map)
{
	struct doc *d = b->doc;
	uint32_t *keys, n = 0;
	int ret = 0;

	if (map->n < 2)
		return 0;
	keys = mem_new(map->n, sizeof(*keys));
	for (uint32_t k = map->first; n < map->n; k = d->nodes[d->nodes[k].next].next)
		keys[n++] = k;
	qsort_r(keys, n, sizeof(*keys), by_key, d);
	for (uint32_t i = 1; !ret && i < n; i++)
		if (!strcmp(doc_text(d, keys[i - 1]), doc_text(d, keys[i])))
			ret = doc_fail(d, keys[i], b->err, "`%s` stands here for the second time",
				       doc_text(d, keys[i]));
	free(keys);
	return ret;
}

static int close_node(struct builder *b)
{
	struct doc_node *n = &b->doc->nodes[b->open[b->depth - 1].node];

	n->n = b->open[b->depth - 1].children / (n->kind == DOC_MAP ? 2 : 1);
	b->depth--;
	return n->kind == DOC_MAP ? check_keys(b, n) : 0;
}

static int add_scalar(struct builder *b, const yaml_event_t *e)
{
	const char *s = (const char *)e->data.scalar.value;
	size_t len = e->data.scalar.length;
	struct doc *d = b->doc;
	uint32_t i;
	int ret;

	if (e->data.scalar.anchor || e->data.scalar.tag)
		return fail_mark(b, e->start_mark, "anchors and tags are not part of this document format");
	if (memchr(s, 0, len))
		return fail_mark(b, e->start_mark, "a text must not contain a NUL character");
	ret = add_node(b, DOC_SCALAR, e->start_mark, &i);
	if (ret)
		return ret;
	d->nodes[i].quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	d->nodes[i].text = d->text.len;
	d->nodes[i].len = (uint32_t)len;
	strbuf_add(&d->text, s, len);
	strbuf_add(&d->text, "", 1);
	return 0;
}

static int take_event(struct builder *b, const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_SCALAR_EVENT:
		return add_scalar(b, e);
	case YAML_SEQUENCE_START_EVENT:
		return open_node(b, e, DOC_LIST);
	case YAML_MAPPING_START_EVENT:
		return open_node(b, e, DOC_MAP);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return close_node(b);
	case YAML_ALIAS_EVENT:
		return fail_mark(b, e->start_mark, "aliases are not part of this document format");
	case YAML_DOCUMENT_START_EVENT:
		if (b->doc->n_nodes)
			return fail_mark(b, e->start_mark, "a second document in one file");
		return 0;
	default:
		return 0;
	}
}

/* libyaml's reader knows an offset only, its scanner and parser a mark. */
static int fail_syntax(const struct builder *b, const yaml_parser_t *p, const char *text)
{
	const char *what = p->problem ? p->problem : "not YAML";
	size_t line = p->problem_mark.line + 1, column = p->problem_mark.column + 1;

	if (p->error == YAML_MEMORY_ERROR)
		return err_set(b->err, -ENOMEM, "%s: out of memory", b->doc->name);
	if (p->error == YAML_READER_ERROR) {
		line = column = 1;
		for (size_t i = 0; i < p->problem_offset; i++, column++)
			if (text[i] == '\n') {
				line++;
				column = 0;
			}
	}
	return fail_at(b->doc, line, column, b->err, what);
}

static int build(struct builder *b, yaml_parser_t *p, const char *text)
{
	for (;;) {
		yaml_event_type_t type;
		yaml_event_t e;
		int ret;

		if (!yaml_parser_parse(p, &e))
			return fail_syntax(b, p, text);
		type = e.type;
		ret = take_event(b, &e);
		yaml_event_delete(&e);
		if (ret)
			return ret;
		if (type == YAML_STREAM_END_EVENT)
			return 0;
	}
}

int doc_parse(struct doc *d, const char *text, size_t len, const char *name, struct err *err)
{
	struct builder b = {.doc = d, .err = err};
	yaml_parser_t p;
	int ret;

	*d = (struct doc){.name = name};
	if (len > DOC_MAX_BYTES)
		return err_set(err, -EFBIG, "%s: %zu bytes, a document has at most %zu", name, len,
			       DOC_MAX_BYTES);
	if (!yaml_parser_initialize(&p))
		return err_set(err, -ENOMEM, "%s: out of memory", name);
	yaml_parser_set_encoding(&p, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&p, (const unsigned char *)text, len);
	ret = build(&b, &p, text);
	yaml_parser_delete(&p);
	if (!ret && !d->n_nodes)
		ret = err_set(err, -EINVAL, "%s line 1, column 1: the document is empty", name);
	if (ret)
		doc_release(d);
	return ret;
}

void doc_release(struct doc *d)
{
	free(d->nodes);
	strbuf_release(&d->text);
	*d = (struct doc){0};
}

const char *doc_text(const struct doc *d, uint32_t node)
{
	return d->text.s + d->nodes[node].text;
}

uint32_t doc_get(const struct doc *d, uint32_t node, const char *key)
{
	uint32_t k = d->nodes[node].first;

	if (d->nodes[node].kind != DOC_MAP)
		return DOC_NONE;
	for (; k != DOC_NONE; k = d->nodes[d->nodes[k].next].next)
		if (!strcmp(doc_text(d, k), key))
			return d->nodes[k].next;
	return DOC_NONE;
}

static uint32_t element(const struct doc *d, uint32_t node, unsigned long i)
{
	uint32_t e = d->nodes[node].first;

	if (d->nodes[node].kind != DOC_LIST)
		return DOC_NONE;
	while (i-- && e != DOC_NONE)
		e = d->nodes[e].next;
	return e;
}

uint32_t doc_at(const struct doc *d, const char *path)
{
	uint32_t at = 0;

	while (*path) {
		size_t len = strcspn(path, ".");
		char part[64];
		uint32_t child;

		snprintf(part, sizeof(part), "%.*s", (int)len, path);
		child = isdigit((unsigned char)*part) ? element(d, at, strtoul(part, NULL, 10))
						      : doc_get(d, at, part);
		if (child == DOC_NONE)
			break;
		at = child;
		path += len + (path[len] == '.');
	}
	return at;
}
