/* SPDX-License-Identifier: MIT */
/*
 * A YAML text as a tree that knows where everything stands.
 *
 * The subset: one document, block or flow style, scalars, lists, maps with
 * plain scalar keys.  Anchors, aliases and tags are refused (nothing needs
 * them, and they are how small files grow without bound), as are more than
 * DOC_MAX_DEPTH levels, DOC_MAX_NODES nodes or DOC_MAX_BYTES of text.
 */
#ifndef PERSEUS_YAML_DOC_H
#define PERSEUS_YAML_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"

#define DOC_MAX_BYTES ((size_t)32 << 20)
#define DOC_MAX_NODES 2000000u
#define DOC_MAX_DEPTH 12
#define DOC_NONE      0xffffffffu

enum doc_kind { DOC_SCALAR, DOC_LIST, DOC_MAP };

struct doc_node {
	enum doc_kind kind;
	bool quoted;     /* a scalar in quotes, or a block scalar */
	uint32_t line;   /* from 1 */
	uint32_t column; /* from 1 */
	uint32_t first;  /* first child, DOC_NONE; a map's children are key, value, key, ... */
	uint32_t next;   /* next sibling, DOC_NONE */
	uint32_t n;      /* elements of a list, pairs of a map */
	uint32_t len;    /* of a scalar, bytes */
	size_t text;     /* offset of a scalar's NUL-terminated text */
};

struct doc {
	const char *name; /* stands in messages; borrowed */
	struct doc_node *nodes;
	uint32_t n_nodes;
	struct strbuf text;
};

/*
 * Parse @len bytes; node 0 is the root.  Fails with -EINVAL ("NAME line L,
 * column C: what"), or -EFBIG beyond the limits; @d is released then.
 */
int doc_parse(struct doc *d, const char *text, size_t len, const char *name, struct err *err);

/* Free everything inside. */
void doc_release(struct doc *d);

/* The text of scalar @node. */
const char *doc_text(const struct doc *d, uint32_t node);

/* The value of @key in the map @node, DOC_NONE if it is not there. */
uint32_t doc_get(const struct doc *d, uint32_t node, const char *key);

/*
 * The node at a path such as "phases.3.work.0.thread": digits select an
 * element, words a key.  Where the path ends early (an optional key that was
 * left out) the innermost node that exists: a message still has its place.
 */
uint32_t doc_at(const struct doc *d, const char *path);

/* Write "NAME line L, column C: " and the message about @node; returns -EINVAL. */
int doc_fail(const struct doc *d, uint32_t node, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
