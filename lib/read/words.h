/* SPDX-License-Identifier: MIT */
/*
 * Text whose lines are words between blanks; what begins with '#' is a comment.  The first
 * line that is none is a head, "NAME VERSION".
 */
#ifndef PERSEUS_LIB_READ_WORDS_H
#define PERSEUS_LIB_READ_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

#define WORDS_MAX 512 /* in a line */

struct words {
	const char *path; /* for messages; the caller's */
	char *text, *at;  /* a copy, cut as it is read */
	unsigned line;    /* that was read last, from 1 */
	char *word[WORDS_MAX];
	size_t n;
};

/* Begin with @text of @len bytes, whose head must be "@name 1".  -EINVAL, with path and line. */
int words_open(struct words *w, const char *path, const char *text, size_t len, const char *name,
	       struct err *err);
void words_close(struct words *w);

/* The next line: 1 with w->word[0..n), 0 at the end, -EINVAL.  Words are valid until the next call. */
int words_next(struct words *w, struct err *err);

/* What stands from word @i on to the end of its line, with single blanks between; the words are gone then. */
char *words_rest(struct words *w, size_t i);

/* -EINVAL with "PATH line N: ..."; @fmt has no full stop. */
int words_bad(const struct words *w, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
