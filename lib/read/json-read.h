/* SPDX-License-Identifier: MIT */
/*
 * JSON in: a strict reader (RFC 8259) into a tree.  No comments, no trailing
 * commas, no text behind the value; strings are UTF-8 without NUL.  What a
 * file can ask for is bounded.
 */
#ifndef PERSEUS_LIB_READ_JSON_READ_H
#define PERSEUS_LIB_READ_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

#define JSON_DEPTH  64      /* objects and arrays in each other */
#define JSON_VALUES 4000000 /* in one document */

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_value {
	enum json_kind kind;
	char *key;             /* of a member of an object; else NULL */
	char *text;            /* of a string */
	double number;         /* of a number, finite */
	struct json_value *at; /* of an array or object */
	size_t n;
};

/*
 * Read @len bytes at @text, which is called @name in messages, into @v; the
 * caller releases it.  -EINVAL says where it is wrong, -E2BIG that it is too deep or too large; @v is
 * empty then.
 */
int json_read(struct json_value *v, const char *text, size_t len, const char *name, struct err *err);

void json_release(struct json_value *v);

/* The first member @key of @object, NULL: there is none, or it is no object. */
const struct json_value *json_member(const struct json_value *object, const char *key);

/* That member as text, a number, or true or false; what is missing or of another kind is @otherwise. */
const char *json_text_of(const struct json_value *object, const char *key, const char *otherwise);
double json_number_of(const struct json_value *object, const char *key, double otherwise);
bool json_bool_of(const struct json_value *object, const char *key, bool otherwise);

#endif
