/* SPDX-License-Identifier: MIT */
/* Changes to a text, and the unified diff that makes them. */
#ifndef PERSEUS_LIB_SOURCE_EDITS_H
#define PERSEUS_LIB_SOURCE_EDITS_H

#include <stddef.h>

#include "lib/err.h"
#include "lib/strbuf.h"

struct edit {
	size_t at, drop; /* bytes that go */
	char *add;       /* what comes in their place */
};

struct edits {
	struct edit *at; /* ascending */
	size_t n;
	size_t cap;
};

/*
 * Put @add in the place of @drop bytes at @at; of several at the same place
 * the first stays first.  An edit that is there already is not made twice.
 * -EEXIST: another one changes the same bytes.
 */
int edits_add(struct edits *e, size_t at, size_t drop, const char *add, struct err *err);

/* Free the edits. */
void edits_release(struct edits *e);

/* A copy of @e, so that several edits can be made as one or not at all. */
void edits_copy(struct edits *to, const struct edits *e);

/* What was tried on a copy holds: exchange both. */
void edits_swap(struct edits *a, struct edits *b);

/* The text with the changes made, appended to @out. */
void edits_apply(struct strbuf *out, const struct edits *e, const char *text, size_t len);

/*
 * The unified diff, three lines of context, for `patch -p1`: names are
 * a/PATH and b/PATH.  Nothing is appended if there is no edit.
 */
void edits_diff(struct strbuf *out, const struct edits *e, const char *path, const char *text, size_t len);

#endif
