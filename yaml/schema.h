/* SPDX-License-Identifier: MIT */
/*
 * Tables that tie a document to a C struct.  One table loads, checks, writes
 * and frees, so the four cannot drift apart.
 *
 * Canonical form: `perseus: KIND` and `version: N` first; keys in the order
 * of the table; two spaces per level; lists of structs as blocks, structs
 * marked `flow` and lists of numbers on one line; texts always in double
 * quotes, numbers, booleans and words bare; optional keys left out while they
 * hold their absent value.  The same object gives the same bytes, and loading
 * and saving canonical bytes gives them back.
 */
#ifndef PERSEUS_YAML_SCHEMA_H
#define PERSEUS_YAML_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "yaml/doc.h"

#define SCHEMA_NONE 0xffffffffu

enum schema_kind {
	SCHEMA_STRING,  /* char *; with words: one of them, written bare */
	SCHEMA_HEX,     /* char *; lower case hexadecimal of min..max digits */
	SCHEMA_BOOL,    /* bool */
	SCHEMA_U32,     /* uint32_t in min..max (max 0: no limit) */
	SCHEMA_U64,     /* uint64_t likewise */
	SCHEMA_INT,     /* int, not negative, likewise */
	SCHEMA_DOUBLE,  /* double, finite, not negative, at most max (0: no limit) */
	SCHEMA_ENUM,    /* an enum from 0, one of words */
	SCHEMA_REF,     /* uint32_t, index into the root's list `list`; absent: SCHEMA_NONE */
	SCHEMA_INDEX,   /* not stored: the position in the list, written for readers */
	SCHEMA_MAP,     /* one `element` inside the struct; always there */
	SCHEMA_STRUCT,  /* list of `element`: pointer, and counter at `count` */
	SCHEMA_STRINGS, /* list of texts: char **, and counter at `count` */
	SCHEMA_REALS, /* list of finite numbers of either sign on one line: double *, and counter at `count` */
	SCHEMA_KEYED,  /* array inside the struct, one uint64_t or `element` per word */
	SCHEMA_MATRIX, /* uint64_t *, n x n, n is the counter at `count`, loaded before */
};

/* Flags. */
#define SCHEMA_OPTIONAL 1u  /* may be left out: NULL, 0, false or empty */
#define SCHEMA_ABSENT   2u  /* uint32_t whose absent value is SCHEMA_NONE; implies optional */
#define SCHEMA_COUNT32  4u  /* the counter is uint32_t, not size_t */
#define SCHEMA_STAR     8u  /* SCHEMA_HEX: "*" is also allowed */
#define SCHEMA_SIGNED   16u /* SCHEMA_DOUBLE: may be negative */

struct schema;

struct schema_field {
	const char *key;
	enum schema_kind kind;
	unsigned flags;
	size_t offset;
	size_t count;
	uint64_t min, max;
	const char *const *words; /* NULL-terminated */
	const uint8_t *order;     /* in which the words are written; NULL: their own */
	const char *list;
	const struct schema *element;
	size_t when;        /* offset of the enum this field depends on ... */
	unsigned when_mask; /* ... and the values (1 << v) with which it is there; 0: always */
};

struct schema {
	const char *what; /* "a core", for messages */
	size_t size;
	const struct schema_field *fields; /* ended by key NULL */
	bool flow;
};

struct schema_document {
	const char *kind; /* "platform" */
	uint32_t version;
	const struct schema *root;
	/* Checks beyond types; may complete derived members of @obj. */
	int (*check)(const struct doc *d, void *obj, struct err *err);
};

/*
 * Read @path, or @len bytes of @text called @name, into the zeroed @obj.
 * Fails with -ENOENT, -EINVAL, -EFBIG, -ENOTSUP (another version), messages
 * with line and column; @obj is released and zero then.
 */
int document_load(const struct schema_document *sd, void *obj, const char *path, struct err *err);
int document_parse(const struct schema_document *sd, void *obj, const char *text, size_t len,
		   const char *name, struct err *err);

/* Like document_parse(), but the tree is handed to @d (released by the caller) for further checks. */
int document_parse_keep(const struct schema_document *sd, void *obj, const char *text, size_t len,
			const char *name, struct doc *d, struct err *err);

/* Append the canonical form. */
void document_text(const struct schema_document *sd, const void *obj, struct strbuf *out);

/*
 * Write the canonical form to @path ("-": stdout).  What could not be read
 * back is not written: -EINVAL, the message names the place.
 */
int document_save(const struct schema_document *sd, const void *obj, const char *path, struct err *err);

/* SHA-256 of the canonical form; @hex has 65 bytes. */
void document_hash(const struct schema_document *sd, const void *obj, char *hex);

/* Free everything inside @obj and zero it. */
void document_release(const struct schema_document *sd, void *obj);

/* ---- between the files of the folder ---- */

/* Load the map @node into @obj; @position is its place in a list. */
int schema_load(const struct schema *s, const struct doc *d, uint32_t node, void *obj, size_t position,
		struct err *err);

/* Check every SCHEMA_REF below @obj against the lists of @root_obj. */
int schema_check_refs(const struct schema *root, const void *root_obj, const struct schema *s,
		      const struct doc *d, uint32_t node, const void *obj, struct err *err);

/* Free what @obj owns. */
void schema_release(const struct schema *s, void *obj);

/* Append the keys of @obj as block lines indented by @indent. */
void schema_text(const struct schema *s, const void *obj, int indent, size_t position, struct strbuf *out);

/* The counter of a list field. */
size_t schema_count(const struct schema_field *f, const void *obj);

/* True if the field applies to @obj (see `when`). */
bool schema_applies(const struct schema_field *f, const void *obj);

/* True if the field holds the value that an absent key stands for. */
bool schema_is_absent(const struct schema_field *f, const void *obj);

/* Append @s in double quotes, escaped; bytes that are not UTF-8 become U+FFFD. */
void schema_quote(const char *s, struct strbuf *out);

#endif
