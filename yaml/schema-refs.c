/* SPDX-License-Identifier: MIT */
/* Indices that point into lists of the document. */
#include "yaml/schema.h"

#include <inttypes.h>
#include <string.h>

struct walk {
	const struct schema *root;
	const void *root_obj;
	const struct doc *doc;
	struct err *err;
};

static size_t list_size(const struct walk *w, const char *list)
{
	for (const struct schema_field *f = w->root->fields; f->key; f++)
		if (!strcmp(f->key, list))
			return schema_count(f, w->root_obj);
	return 0;
}

static int check_ref(const struct walk *w, const struct schema_field *f, uint32_t node, uint32_t value)
{
	size_t n = list_size(w, f->list);

	if (value < n)
		return 0;
	if (!n)
		return doc_fail(w->doc, node, w->err, "`%s` is %" PRIu32 ", but there are no %s", f->key,
				value, f->list);
	return doc_fail(w->doc, node, w->err, "`%s` is %" PRIu32 ", but %s are numbered 0 to %zu", f->key,
			value, f->list, n - 1);
}

static int check_list(const struct walk *w, const struct schema_field *f, uint32_t list, const void *obj)
{
	const char *at = *(const char *const *)(const void *)((const char *)obj + f->offset);
	int ret = 0;

	for (uint32_t e = w->doc->nodes[list].first; e != DOC_NONE && !ret; e = w->doc->nodes[e].next) {
		ret = schema_check_refs(w->root, w->root_obj, f->element, w->doc, e, at, w->err);
		at += f->element->size;
	}
	return ret;
}

int schema_check_refs(const struct schema *root, const void *root_obj, const struct schema *s,
		      const struct doc *d, uint32_t node, const void *obj, struct err *err)
{
	struct walk w = {root, root_obj, d, err};
	int ret = 0;

	for (const struct schema_field *f = s->fields; f->key && !ret; f++) {
		uint32_t value = doc_get(d, node, f->key);

		if (value == DOC_NONE || schema_is_absent(f, obj))
			continue;
		if (f->kind == SCHEMA_REF)
			ret = check_ref(&w, f, value,
					*(const uint32_t *)(const void *)((const char *)obj + f->offset));
		else if (f->kind == SCHEMA_MAP)
			ret = schema_check_refs(root, root_obj, f->element, d, value,
						(const char *)obj + f->offset, err);
		else if (f->kind == SCHEMA_STRUCT)
			ret = check_list(&w, f, value, obj);
	}
	return ret;
}
