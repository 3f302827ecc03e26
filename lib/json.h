/* SPDX-License-Identifier: MIT */
/*
 * JSON out: a writer that puts commas and indentation by itself.
 *
 *	struct json j;
 *	json_init(&j, &sb);
 *	json_object(&j, NULL);  json_string(&j, "id", "share-001274");  json_end(&j);
 *
 * @key is NULL inside arrays.  Strings that are not UTF-8 are repaired with
 * U+FFFD.  Numbers that are not finite become null.
 */
#ifndef PERSEUS_LIB_JSON_H
#define PERSEUS_LIB_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"

struct json {
	struct strbuf *out;
	int depth;
	char close[32];
	bool first[32];
};

/* Append @text as a JSON string with its quotes: for writers that want no indentation. */
void json_quote(struct strbuf *out, const char *text);

/* Start writing to the end of @out. */
void json_init(struct json *j, struct strbuf *out);

/* Open an object or array; json_end() closes the innermost one. */
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end(struct json *j);

/* One value. */
void json_string(struct json *j, const char *key, const char *value); /* NULL: null */
void json_u64(struct json *j, const char *key, uint64_t value);
void json_i64(struct json *j, const char *key, int64_t value);
void json_double(struct json *j, const char *key, double value);
void json_bool(struct json *j, const char *key, bool value);

#endif
