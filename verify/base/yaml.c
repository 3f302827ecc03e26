/* SPDX-License-Identifier: MIT */
#include "verify/base/yaml.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NODES 4000000u
#define MAX_KEYS  100u /* of one map */
#define MAX_DEPTH 12

struct reader {
	struct vyaml *doc;
	struct fault *fault;
	char *at;      /* next byte */
	char *end;     /* behind the last one */
	uint32_t line; /* of `at` */
	int open;      /* indentation of a line whose dash was read, or -1 */
};

static int yaml_bad(struct reader *r, const char *what)
{
	return fault_set(r->fault, "%s line %u: %s", r->doc->name, r->line, what);
}

static uint32_t yaml_add(struct reader *r, enum vyaml_kind kind, uint32_t parent, uint32_t last,
			 const char *key)
{
	struct vyaml *d = r->doc;
	uint32_t id = (uint32_t)d->n;

	d->node = need_more(d->node, d->n, sizeof(*d->node));
	d->node[d->n++] = (struct vyaml_node){.kind = kind, .key = key, .line = r->line};
	if (id == 0)
		return id;
	if (last)
		d->node[last].next = id;
	else
		d->node[parent].first = id;
	d->node[parent].n++;
	return id;
}

/* The line is over but for a comment. */
static int finish_line(struct reader *r)
{
	char *p = r->at;

	while (p < r->end && *p == ' ')
		p++;
	if (p < r->end && *p == '#' && p > r->at)
		while (p < r->end && *p != '\n')
			p++;
	if (p < r->end && *p != '\n')
		return yaml_bad(r, "unexpected text behind the value");
	r->at = p < r->end ? p + 1 : p;
	r->line++;
	return 0;
}

/* Indentation of the next line that says something; -1 at the end. */
static int next_indent(struct reader *r)
{
	if (r->open >= 0)
		return r->open;
	while (r->at < r->end) {
		char *p = r->at;

		while (p < r->end && *p == ' ')
			p++;
		if (p < r->end && *p != '\n' && *p != '#')
			return (int)(p - r->at < 1000 ? p - r->at : 1000);
		while (p < r->end && *p != '\n')
			p++;
		r->at = p < r->end ? p + 1 : p;
		r->line++;
	}
	return -1;
}

/* Step over the indentation; `at` is on the first character. */
static void enter_line(struct reader *r, int indent)
{
	if (r->open < 0)
		r->at += indent;
	r->open = -1;
}

static int is_key_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* `key:`; the colon becomes the end of the text. */
static const char *read_key(struct reader *r)
{
	char *p = r->at, *key = r->at;

	while (p < r->end && is_key_char(*p))
		p++;
	if (p == key || p == r->end || *p != ':') {
		yaml_bad(r, "expected `key: value'");
		return NULL;
	}
	*p = '\0';
	r->at = p + 1;
	return key;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* @digits hex digits at @p as UTF-8 to *to; a code never needs more bytes than its escape has characters. */
static int read_code(struct reader *r, const char *p, int digits, char **to)
{
	uint32_t c = 0;

	for (int i = 0; i < digits; i++) {
		if (p + i >= r->end || hex_value(p[i]) < 0)
			return yaml_bad(r, "bad escape in a text");
		c = c << 4 | (uint32_t)hex_value(p[i]);
	}
	if (!c || (c >= 0xd800 && c < 0xe000))
		return yaml_bad(r, "an escape stands for no character");
	if (c < 0x80) {
		*(*to)++ = (char)c;
	} else if (c < 0x800) {
		*(*to)++ = (char)(0xc0 | c >> 6);
		*(*to)++ = (char)(0x80 | (c & 0x3f));
	} else {
		*(*to)++ = (char)(0xe0 | c >> 12);
		*(*to)++ = (char)(0x80 | (c >> 6 & 0x3f));
		*(*to)++ = (char)(0x80 | (c & 0x3f));
	}
	return 0;
}

/* One escape behind the backslash at r->at. */
static int read_escape(struct reader *r, char **to)
{
	static const char plain[] = "\"\\nt", value[] = "\"\\\n\t";
	char c = r->at + 1 < r->end ? r->at[1] : '\0';
	const char *found = c ? strchr(plain, c) : NULL;
	int digits = c == 'x' ? 2 : c == 'u' ? 4 : 0;

	if (found) {
		*(*to)++ = value[found - plain];
		r->at += 2;
		return 0;
	}
	if (!digits)
		return yaml_bad(r, "bad escape in a text");
	if (read_code(r, r->at + 2, digits, to))
		return -1;
	r->at += 2 + digits;
	return 0;
}

/* `"text"`, decoded in place. */
static int read_text(struct reader *r, uint32_t id)
{
	char *to = ++r->at;

	r->doc->node[id].kind = VYAML_TEXT;
	r->doc->node[id].text = to;
	while (r->at < r->end && *r->at != '"') {
		if (*r->at == '\n')
			return yaml_bad(r, "a text must end on its line");
		if (*r->at == '\\') {
			if (read_escape(r, &to))
				return -1;
		} else {
			*to++ = *r->at++;
		}
	}
	if (r->at >= r->end)
		return yaml_bad(r, "a text is not closed");
	*to = '\0';
	r->at++;
	return 0;
}

/* A number or word.  What follows it is still needed: close_words() ends it later. */
static int read_word(struct reader *r, uint32_t id)
{
	char *p = r->at;

	while (p < r->end && (is_key_char(*p) || *p == '-' || *p == '+' || *p == '.'))
		p++;
	if (p == r->at)
		return yaml_bad(r, "expected a value");
	r->doc->node[id].kind = VYAML_WORD;
	r->doc->node[id].text = r->at;
	r->doc->node[id].bytes = (uint32_t)(p - r->at);
	r->at = p;
	return 0;
}

static void close_words(struct vyaml *doc, char *text)
{
	for (size_t i = 1; i < doc->n; i++)
		if (doc->node[i].kind == VYAML_WORD)
			text[doc->node[i].text - text + doc->node[i].bytes] = '\0';
}

/* A key that map @map does not have yet. */
static const char *new_key(struct reader *r, uint32_t map)
{
	const char *key = read_key(r);

	if (!key)
		return NULL;
	if (r->doc->n >= MAX_NODES || r->doc->node[map].n >= MAX_KEYS) {
		yaml_bad(r, "too many values");
		return NULL;
	}
	for (uint32_t i = r->doc->node[map].first; i; i = r->doc->node[i].next)
		if (!strcmp(r->doc->node[i].key, key)) {
			yaml_bad(r, "the key stands there twice");
			return NULL;
		}
	return key;
}

static int read_flow(struct reader *r, uint32_t id, int depth);

static int read_any(struct reader *r, uint32_t id, int depth)
{
	char c = r->at < r->end ? *r->at : '\n';

	if (c == '{' || c == '[')
		return read_flow(r, id, depth);
	return c == '"' ? read_text(r, id) : read_word(r, id);
}

/* One member of brackets that close with @close; *more: a comma follows. */
static int read_member(struct reader *r, uint32_t id, uint32_t *last, char close, int depth, bool *more)
{
	const char *key = NULL;

	if (close == '}') {
		key = new_key(r, id);
		if (!key)
			return -1;
		if (r->at >= r->end || *r->at++ != ' ')
			return yaml_bad(r, "expected a blank behind the colon");
	}
	if (r->doc->n >= MAX_NODES)
		return yaml_bad(r, "too many values");
	*last = yaml_add(r, VYAML_LIST, id, *last, key);
	if (read_any(r, *last, depth + 1))
		return -1;
	*more = r->end - r->at >= 2 && r->at[0] == ',' && r->at[1] == ' ';
	if (!*more && (r->at >= r->end || *r->at != close))
		return yaml_bad(r, "expected a comma and a blank, or the closing bracket");
	r->at += *more ? 2 : 1;
	return 0;
}

/* `{a: 1, b: 2}` or `[1, 2]` on one line. */
static int read_flow(struct reader *r, uint32_t id, int depth)
{
	char close = *r->at == '{' ? '}' : ']';
	uint32_t last = 0;
	bool more = true;

	if (depth > MAX_DEPTH)
		return yaml_bad(r, "nested too deeply");
	r->doc->node[id].kind = close == '}' ? VYAML_MAP : VYAML_LIST;
	r->at++;
	while (more)
		if (read_member(r, id, &last, close, depth, &more))
			return -1;
	return 0;
}

/* A value, to the end of its line. */
static int read_value(struct reader *r, uint32_t id)
{
	return read_any(r, id, 0) ? -1 : finish_line(r);
}

static int read_block(struct reader *r, uint32_t id, int indent, int depth);

static int read_entry(struct reader *r, uint32_t map, uint32_t *last, int indent, int depth)
{
	const char *key;

	enter_line(r, indent);
	key = new_key(r, map);
	if (!key)
		return -1;
	*last = yaml_add(r, VYAML_LIST, map, *last, key);
	if (r->at < r->end && *r->at == ' ' && r->at + 1 < r->end && !strchr(" #\n", r->at[1])) {
		r->at++;
		return read_value(r, *last);
	}
	if (finish_line(r))
		return -1;
	return next_indent(r) == indent + 2 ? read_block(r, *last, indent + 2, depth + 1)
					    : yaml_bad(r, "expected the value of the key above");
}

static int is_dash(const struct reader *r, int indent)
{
	const char *p = r->open >= 0 ? NULL : r->at + indent;

	return p && r->end - p >= 2 && p[0] == '-' && p[1] == ' ';
}

static int read_item(struct reader *r, uint32_t list, uint32_t *last, int indent, int depth)
{
	enter_line(r, indent);
	r->at += 2;
	if (r->doc->n >= MAX_NODES)
		return yaml_bad(r, "too many values");
	*last = yaml_add(r, VYAML_MAP, list, *last, NULL);
	if (r->at < r->end && strchr("{[\"", *r->at))
		return read_value(r, *last);
	r->open = indent + 2;
	return read_block(r, *last, indent + 2, depth + 1);
}

/* A map or list whose lines have @indent blanks. */
static int read_block(struct reader *r, uint32_t id, int indent, int depth)
{
	int dashes = is_dash(r, indent), now;
	uint32_t last = 0;

	if (depth > MAX_DEPTH)
		return yaml_bad(r, "nested too deeply");
	r->doc->node[id].kind = dashes ? VYAML_LIST : VYAML_MAP;
	while ((now = next_indent(r)) == indent) {
		if (is_dash(r, indent) != dashes)
			return yaml_bad(r, "a list and a map are mixed");
		if (dashes ? read_item(r, id, &last, indent, depth) : read_entry(r, id, &last, indent, depth))
			return -1;
	}
	return now > indent ? yaml_bad(r, "unexpected indentation") : 0;
}

/* Lines may end as other systems end them. */
static void drop_returns(struct input *in)
{
	size_t to = 0;

	for (size_t i = 0; i < in->size; i++)
		if (in->data[i] != '\r' || i + 1 == in->size || in->data[i + 1] != '\n')
			in->data[to++] = in->data[i];
	in->size = to;
	in->data[to] = 0;
}

int vyaml_parse(struct vyaml *doc, const char *name, struct input *in, struct fault *f)
{
	struct reader r = {.doc = doc, .fault = f, .at = (char *)in->data, .line = 1, .open = -1};

	*doc = (struct vyaml){.name = name};
	drop_returns(in);
	r.end = r.at + in->size;
	if (memchr(in->data, 0, in->size))
		return fault_set(f, "%s is not a text", name);
	yaml_add(&r, VYAML_MAP, 0, 0, NULL);
	if (next_indent(&r) != 0)
		return yaml_bad(&r, "expected `perseus: ...'");
	if (read_block(&r, 0, 0, 0))
		return -1;
	close_words(doc, (char *)in->data);
	return 0;
}

void vyaml_release(struct vyaml *doc)
{
	free(doc->node);
	*doc = (struct vyaml){0};
}
