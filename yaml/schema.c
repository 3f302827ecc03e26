/* SPDX-License-Identifier: MIT */
/* Whole documents, and what loading, writing and checking share. */
#include "yaml/schema.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/hash.h"
#include "lib/mem.h"
#include "lib/num.h"

size_t schema_count(const struct schema_field *f, const void *obj)
{
	const char *at = (const char *)obj + f->count;

	return f->flags & SCHEMA_COUNT32 ? *(const uint32_t *)at : *(const size_t *)at;
}

bool schema_applies(const struct schema_field *f, const void *obj)
{
	unsigned value;

	if (!f->when_mask)
		return true;
	value = *(const unsigned *)((const char *)obj + f->when);
	return value < 32 && f->when_mask >> value & 1;
}

static bool all_zero(const void *p, size_t n)
{
	const char *c = p;

	for (size_t i = 0; i < n; i++)
		if (c[i])
			return false;
	return true;
}

static size_t keyed_bytes(const struct schema_field *f)
{
	size_t n = 0;

	while (f->words[n])
		n++;
	return n * (f->element ? f->element->size : sizeof(uint64_t));
}

bool schema_is_absent(const struct schema_field *f, const void *obj)
{
	const void *at = (const char *)obj + f->offset;

	switch (f->kind) {
	case SCHEMA_HEX:
		return !*(char *const *)at || !**(char *const *)at;
	case SCHEMA_STRING:
	case SCHEMA_MATRIX:
		return !*(void *const *)at;
	case SCHEMA_BOOL:
		return !*(const bool *)at;
	case SCHEMA_REF:
		return *(const uint32_t *)at == SCHEMA_NONE;
	case SCHEMA_U32:
		return *(const uint32_t *)at == (f->flags & SCHEMA_ABSENT ? SCHEMA_NONE : 0);
	case SCHEMA_U64:
		return !*(const uint64_t *)at;
	case SCHEMA_DOUBLE:
		return *(const double *)at == 0;
	case SCHEMA_INT:
	case SCHEMA_ENUM:
		return !*(const int *)at;
	case SCHEMA_STRUCT:
	case SCHEMA_STRINGS:
	case SCHEMA_REALS:
		return !schema_count(f, obj);
	case SCHEMA_KEYED:
		return all_zero(at, keyed_bytes(f));
	case SCHEMA_MAP:
	case SCHEMA_INDEX:
		break;
	}
	return false;
}

static void release_list(const struct schema_field *f, void *obj, char **list)
{
	size_t n = schema_count(f, obj);

	for (size_t i = 0; *list && i < n; i++) {
		if (f->kind == SCHEMA_STRINGS)
			free(((char **)(void *)*list)[i]);
		else
			schema_release(f->element, *list + i * f->element->size);
	}
	free(*list);
	*list = NULL;
}

void schema_release(const struct schema *s, void *obj)
{
	for (const struct schema_field *f = s->fields; f->key; f++) {
		char **at = (char **)(void *)((char *)obj + f->offset);

		if (f->kind == SCHEMA_STRING || f->kind == SCHEMA_HEX || f->kind == SCHEMA_MATRIX ||
		    f->kind == SCHEMA_REALS)
			free(*at);
		else if (f->kind == SCHEMA_STRUCT || f->kind == SCHEMA_STRINGS)
			release_list(f, obj, at);
		else if (f->kind == SCHEMA_MAP)
			schema_release(f->element, at);
	}
	memset(obj, 0, s->size);
}

void document_release(const struct schema_document *sd, void *obj)
{
	schema_release(sd->root, obj);
}

/* The two lines that say what the rest is. */
static int check_header(const struct schema_document *sd, const struct doc *d, struct err *err)
{
	uint32_t kind = doc_get(d, 0, "perseus"), version = doc_get(d, 0, "version");
	uint64_t v;

	if (d->nodes[0].kind != DOC_MAP || kind == DOC_NONE || d->nodes[kind].kind != DOC_SCALAR)
		return doc_fail(d, 0, err, "not a Perseus document: the first line must be `perseus: %s`",
				sd->kind);
	if (strcmp(doc_text(d, kind), sd->kind))
		return doc_fail(d, kind, err, "this is a `%.40s` document, expected `%s`", doc_text(d, kind),
				sd->kind);
	if (version == DOC_NONE || d->nodes[version].kind != DOC_SCALAR ||
	    num_u64(doc_text(d, version), 1, UINT32_MAX, &v))
		return doc_fail(d, version == DOC_NONE ? kind : version, err,
				"`version` must be a number; this program reads version %" PRIu32,
				sd->version);
	if (v != sd->version) {
		doc_fail(d, version, err,
			 "version %" PRIu64 " of the %s document, this program reads %" PRIu32, v, sd->kind,
			 sd->version);
		err_advise(err, v > sd->version ? "use the version of Perseus that wrote it, or a newer one"
						: "make it again with this version of Perseus");
		if (err)
			err->code = -ENOTSUP;
		return -ENOTSUP;
	}
	return 0;
}

static int load_root(const struct schema_document *sd, const struct doc *d, void *obj, struct err *err)
{
	int ret = check_header(sd, d, err);

	if (!ret)
		ret = schema_load(sd->root, d, 0, obj, 0, err);
	if (!ret)
		ret = schema_check_refs(sd->root, obj, sd->root, d, 0, obj, err);
	if (!ret && sd->check)
		ret = sd->check(d, obj, err);
	return ret;
}

int document_parse_keep(const struct schema_document *sd, void *obj, const char *text, size_t len,
			const char *name, struct doc *d, struct err *err)
{
	int ret;

	memset(obj, 0, sd->root->size);
	ret = doc_parse(d, text, len, name, err);
	if (ret)
		return ret;
	ret = load_root(sd, d, obj, err);
	if (ret) {
		document_release(sd, obj);
		doc_release(d);
	}
	return ret;
}

int document_parse(const struct schema_document *sd, void *obj, const char *text, size_t len,
		   const char *name, struct err *err)
{
	struct doc d;
	int ret = document_parse_keep(sd, obj, text, len, name, &d, err);

	if (!ret)
		doc_release(&d);
	return ret;
}

int document_load(const struct schema_document *sd, void *obj, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret;

	memset(obj, 0, sd->root->size);
	ret = fs_read(path, DOC_MAX_BYTES, &text, err);
	if (!ret)
		ret = document_parse(sd, obj, text.s, text.len, path, err);
	strbuf_release(&text);
	return ret;
}

void document_text(const struct schema_document *sd, const void *obj, struct strbuf *out)
{
	strbuf_printf(out, "perseus: %s\nversion: %" PRIu32 "\n", sd->kind, sd->version);
	schema_text(sd->root, obj, 0, 0, out);
}

int document_save(const struct schema_document *sd, const void *obj, const char *path, struct err *err)
{
	void *again = mem_new(1, sd->root->size);
	struct strbuf text = STRBUF_INIT;
	int ret;

	document_text(sd, obj, &text);
	ret = document_parse(sd, again, text.s, text.len, strcmp(path, "-") ? path : sd->kind, err);
	if (ret)
		err_prefix(err, "not written, it could not be read back");
	else
		ret = fs_write(path, text.s, text.len, err);
	document_release(sd, again);
	free(again);
	strbuf_release(&text);
	return ret;
}

void document_hash(const struct schema_document *sd, const void *obj, char *hex)
{
	struct strbuf text = STRBUF_INIT;

	document_text(sd, obj, &text);
	sha256_of(text.s, text.len, hex);
	strbuf_release(&text);
}
