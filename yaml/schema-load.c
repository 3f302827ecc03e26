/* SPDX-License-Identifier: MIT */
/* Tree -> struct.  Every error names the place in the document. */
#include "lib/shown.h"
#include "yaml/schema.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/num.h"

struct load {
	const struct schema *schema;
	const struct schema_field *field;
	const struct doc *doc;
	uint32_t node; /* of the value */
	void *obj;
	size_t position;
	struct err *err;
};

/* What stands there, short and printable, for messages. */
static const char *seen(const struct load *l, uint32_t node, char *buf, size_t size)
{
	const char *s;

	if (l->doc->nodes[node].kind == DOC_LIST)
		return "a list";
	if (l->doc->nodes[node].kind == DOC_MAP)
		return "a map";
	s = doc_text(l->doc, node);
	if (!*s && !l->doc->nodes[node].quoted)
		return "nothing";
	snprintf(buf, size, "`%.40s%s`", s, strlen(s) > 40 ? "..." : "");
	shown_make(buf, "");
	return buf;
}

static int schema_load_fail(const struct load *l, uint32_t node, const char *expected)
{
	char buf[64];

	return doc_fail(l->doc, node, l->err, "`%s` must be %s, found %s", l->field->key, expected,
			seen(l, node, buf, sizeof(buf)));
}

/* "a, b, c" */
static void join_words(const char *const *words, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (; *words && used + 1 < size; words++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "", *words);
}

static int get_number(const struct load *l, uint32_t node, uint64_t limit, uint64_t *out)
{
	const struct schema_field *f = l->field;
	uint64_t max = f->max ? f->max : limit;
	char expected[80];

	if (l->doc->nodes[node].kind == DOC_SCALAR && !l->doc->nodes[node].quoted &&
	    !num_u64(doc_text(l->doc, node), f->min, max, out))
		return 0;
	snprintf(expected, sizeof(expected), "a whole number from %" PRIu64 " to %" PRIu64, f->min, max);
	return schema_load_fail(l, node, expected);
}

static int load_word(const struct load *l, int *out)
{
	char words[200], expected[220];

	if (l->doc->nodes[l->node].kind == DOC_SCALAR)
		for (int i = 0; l->field->words[i]; i++)
			if (!strcmp(doc_text(l->doc, l->node), l->field->words[i])) {
				*out = i;
				return 0;
			}
	join_words(l->field->words, words, sizeof(words));
	snprintf(expected, sizeof(expected), "one of %s", words);
	return schema_load_fail(l, l->node, expected);
}

static bool is_hex(const char *s, uint64_t min, uint64_t max)
{
	size_t n = strspn(s, "0123456789abcdef");

	return !s[n] && n >= min && n <= max;
}

static int load_string(const struct load *l, uint32_t node, char **out)
{
	const struct schema_field *f = l->field;
	const char *s;
	char expected[80];
	int word;

	if (l->doc->nodes[node].kind != DOC_SCALAR ||
	    (!l->doc->nodes[node].quoted && !l->doc->nodes[node].len))
		return schema_load_fail(l, node, "a text");
	s = doc_text(l->doc, node);
	if (f->kind == SCHEMA_HEX && !(f->flags & SCHEMA_STAR && !strcmp(s, "*")) &&
	    !is_hex(s, f->min, f->max)) {
		snprintf(expected, sizeof(expected),
			 "%" PRIu64 " to %" PRIu64 " lower case hexadecimal digits%s", f->min, f->max,
			 f->flags & SCHEMA_STAR ? " or \"*\"" : "");
		return schema_load_fail(l, node, expected);
	}
	if (f->kind == SCHEMA_STRING && f->words && load_word(l, &word))
		return -EINVAL;
	*out = mem_strdup(s);
	return 0;
}

static int load_bool(const struct load *l, bool *out)
{
	const char *s = l->doc->nodes[l->node].kind == DOC_SCALAR ? doc_text(l->doc, l->node) : "";

	if (strcmp(s, "true") && strcmp(s, "false"))
		return schema_load_fail(l, l->node, "true or false");
	*out = !strcmp(s, "true");
	return 0;
}

static void set_count(const struct load *l, size_t n)
{
	char *at = (char *)l->obj + l->field->count;

	if (l->field->flags & SCHEMA_COUNT32)
		*(uint32_t *)(void *)at = (uint32_t)n;
	else
		*(size_t *)(void *)at = n;
}

static int load_real(const struct load *l, uint32_t node, double min, double max, const char *expected,
		     double *out)
{
	if (l->doc->nodes[node].kind != DOC_SCALAR || l->doc->nodes[node].quoted ||
	    num_double(doc_text(l->doc, node), min, max, out))
		return schema_load_fail(l, node, expected);
	*out += 0.0; /* -0 has one form only */
	return 0;
}

static int load_double(const struct load *l, double *out)
{
	double max = l->field->max ? (double)l->field->max : 1e300;
	double min = l->field->flags & SCHEMA_SIGNED ? -max : 0;
	const char *expected = l->field->flags & SCHEMA_SIGNED ? "a number"
			       : l->field->max                 ? "a number in range, not negative"
							       : "a number, not negative";

	return load_real(l, l->node, min, max, expected, out);
}

static int load_reals(const struct load *l, double **out)
{
	const struct doc_node *list = &l->doc->nodes[l->node];
	double *at;
	int ret = 0;

	if (list->kind != DOC_LIST || (l->field->max && list->n > l->field->max))
		return schema_load_fail(l, l->node, "a list of numbers");
	at = *out = mem_new(list->n, sizeof(*at));
	set_count(l, list->n);
	for (uint32_t e = list->first; e != DOC_NONE && !ret; e = l->doc->nodes[e].next)
		ret = load_real(l, e, -1e300, 1e300, "a list of numbers", at++);
	return ret;
}

static int load_list(const struct load *l, char **out)
{
	const struct schema_field *f = l->field;
	const struct doc_node *list = &l->doc->nodes[l->node];
	size_t size = f->kind == SCHEMA_STRINGS ? sizeof(char *) : f->element->size, i = 0;
	char limit[80];
	int ret = 0;

	if (list->kind != DOC_LIST)
		return schema_load_fail(l, l->node, "a list");
	if ((!list->n && !(f->flags & SCHEMA_OPTIONAL)) || (f->max && list->n > f->max)) {
		snprintf(limit, sizeof(limit), "a list of 1 to %" PRIu64 " elements, found %" PRIu32,
			 f->max ? f->max : DOC_MAX_NODES, list->n);
		return doc_fail(l->doc, l->node, l->err, "`%s` must be %s", f->key, limit);
	}
	*out = mem_new(list->n, size);
	set_count(l, list->n);
	for (uint32_t e = list->first; e != DOC_NONE && !ret; e = l->doc->nodes[e].next, i++)
		ret = f->kind == SCHEMA_STRINGS
			      ? load_string(l, e, (char **)(void *)(*out + i * size))
			      : schema_load(f->element, l->doc, e, *out + i * size, i, l->err);
	return ret;
}

static int load_keyed(const struct load *l, char *out)
{
	const struct schema_field *f = l->field;
	const struct doc_node *map = &l->doc->nodes[l->node];
	size_t size = f->element ? f->element->size : sizeof(uint64_t);
	uint32_t seen_words = 0;
	char words[200];
	int ret = 0;

	join_words(f->words, words, sizeof(words));
	if (map->kind != DOC_MAP)
		return schema_load_fail(l, l->node, "a map");
	for (uint32_t k = map->first; k != DOC_NONE && !ret; k = l->doc->nodes[l->doc->nodes[k].next].next) {
		uint32_t value = l->doc->nodes[k].next;
		size_t w = 0;

		while (f->words[w] && strcmp(f->words[w], doc_text(l->doc, k)))
			w++;
		if (!f->words[w])
			return doc_fail(l->doc, k, l->err, "unknown key `%.40s` in `%s`\n  it takes %s",
					doc_text(l->doc, k), f->key, words);
		if (seen_words >> w & 1)
			return doc_fail(l->doc, k, l->err, "`%s` stands here for the second time",
					f->words[w]);
		seen_words |= 1u << w;
		ret = f->element ? schema_load(f->element, l->doc, value, out + w * size, 0, l->err)
				 : get_number(l, value, UINT64_MAX, (uint64_t *)(void *)(out + w * size));
	}
	return ret;
}

static int load_matrix(const struct load *l, uint64_t **out)
{
	const struct doc_node *nodes = l->doc->nodes;
	size_t n = schema_count(l->field, l->obj);
	uint64_t *at;
	int ret = 0;

	if (nodes[l->node].kind != DOC_LIST || nodes[l->node].n != n)
		return doc_fail(l->doc, l->node, l->err, "`%s` must be a list of %zu rows", l->field->key, n);
	at = *out = mem_new(n * n, sizeof(uint64_t));
	for (uint32_t row = nodes[l->node].first; row != DOC_NONE; row = nodes[row].next) {
		if (nodes[row].kind != DOC_LIST || nodes[row].n != n)
			return doc_fail(l->doc, row, l->err, "a row of `%s` must have %zu numbers",
					l->field->key, n);
		for (uint32_t e = nodes[row].first; e != DOC_NONE && !ret; e = nodes[e].next)
			ret = get_number(l, e, UINT64_MAX, at++);
		if (ret)
			return ret;
	}
	return 0;
}

static int load_index(const struct load *l)
{
	uint64_t n;

	if (get_number(l, l->node, UINT32_MAX, &n))
		return -EINVAL;
	if (n != l->position)
		return doc_fail(l->doc, l->node, l->err,
				"`index` must be %zu here: elements are numbered from 0 without gaps",
				l->position);
	return 0;
}

static int load_u32(const struct load *l, uint32_t *out)
{
	uint64_t n;
	int ret = get_number(l, l->node, SCHEMA_NONE - 1, &n);

	if (!ret)
		*out = (uint32_t)n;
	return ret;
}

static int load_int(const struct load *l, int *out)
{
	uint64_t n;
	int ret = get_number(l, l->node, INT32_MAX, &n);

	if (!ret)
		*out = (int)n;
	return ret;
}

static int load_value(const struct load *l)
{
	void *at = (char *)l->obj + l->field->offset;

	switch (l->field->kind) {
	case SCHEMA_STRING:
	case SCHEMA_HEX:
		return load_string(l, l->node, at);
	case SCHEMA_BOOL:
		return load_bool(l, at);
	case SCHEMA_U32:
	case SCHEMA_REF:
		return load_u32(l, at);
	case SCHEMA_U64:
		return get_number(l, l->node, UINT64_MAX, at);
	case SCHEMA_INT:
		return load_int(l, at);
	case SCHEMA_DOUBLE:
		return load_double(l, at);
	case SCHEMA_ENUM:
		return load_word(l, at);
	case SCHEMA_INDEX:
		return load_index(l);
	case SCHEMA_MAP:
		return schema_load(l->field->element, l->doc, l->node, at, 0, l->err);
	case SCHEMA_STRUCT:
	case SCHEMA_STRINGS:
		return load_list(l, at);
	case SCHEMA_KEYED:
		return load_keyed(l, at);
	case SCHEMA_REALS:
		return load_reals(l, at);
	case SCHEMA_MATRIX:
		return load_matrix(l, at);
	}
	return 0;
}

static bool is_header(const struct load *l, const char *key)
{
	return l->node == 0 && (!strcmp(key, "perseus") || !strcmp(key, "version"));
}

/* Each key known and only once. */
static int check_keys(const struct load *l)
{
	uint64_t seen_fields = 0;
	unsigned seen_header = 0;

	for (uint32_t k = l->doc->nodes[l->node].first; k != DOC_NONE;
	     k = l->doc->nodes[l->doc->nodes[k].next].next) {
		const char *key = doc_text(l->doc, k);
		unsigned i = 0, header = *key == 'p' ? 1 : 2;
		bool again;

		while (l->schema->fields[i].key && strcmp(l->schema->fields[i].key, key))
			i++;
		if (l->schema->fields[i].key) {
			again = seen_fields >> i & 1;
			seen_fields |= UINT64_C(1) << i;
		} else if (is_header(l, key)) {
			again = seen_header & header;
			seen_header |= header;
		} else {
			struct strbuf known = STRBUF_INIT;

			for (i = 0; l->schema->fields[i].key; i++)
				strbuf_printf(&known, "%s%s", i ? ", " : "", l->schema->fields[i].key);
			doc_fail(l->doc, k, l->err, "unknown key `%.40s`\n  %s takes: %s", key,
				 l->schema->what, known.s);
			strbuf_release(&known);
			return -EINVAL;
		}
		if (again)
			return doc_fail(l->doc, k, l->err, "`%s` stands here for the second time", key);
	}
	return 0;
}

/* `null` and nothing mean the same as leaving an optional key out. */
static bool is_null(const struct doc *d, uint32_t node)
{
	const struct doc_node *n = &d->nodes[node];

	return n->kind == DOC_SCALAR && !n->quoted &&
	       (!n->len || !strcmp(doc_text(d, node), "null") || !strcmp(doc_text(d, node), "~"));
}

static int load_field(struct load *l, uint32_t map)
{
	const struct schema_field *f = l->field;
	bool optional = f->flags & (SCHEMA_OPTIONAL | SCHEMA_ABSENT) || f->kind == SCHEMA_INDEX;

	if (f->flags & SCHEMA_ABSENT)
		*(uint32_t *)(void *)((char *)l->obj + f->offset) = SCHEMA_NONE;
	l->node = doc_get(l->doc, map, f->key);
	if (l->node != DOC_NONE && optional && is_null(l->doc, l->node))
		l->node = DOC_NONE;
	if (!schema_applies(f, l->obj)) {
		if (l->node == DOC_NONE)
			return 0;
		return doc_fail(l->doc, l->node, l->err, "`%s` has no meaning here", f->key);
	}
	if (l->node == DOC_NONE) {
		if (optional)
			return 0;
		return doc_fail(l->doc, map, l->err, "%s needs the key `%s`", l->schema->what, f->key);
	}
	return load_value(l);
}

int schema_load(const struct schema *s, const struct doc *d, uint32_t node, void *obj, size_t position,
		struct err *err)
{
	struct load l = {.schema = s, .doc = d, .node = node, .obj = obj, .position = position, .err = err};
	int ret;

	if (d->nodes[node].kind != DOC_MAP)
		return doc_fail(d, node, err, "%s must be a map of keys and values", s->what);
	ret = check_keys(&l);
	for (l.field = s->fields; l.field->key && !ret; l.field++)
		ret = load_field(&l, node);
	return ret;
}
