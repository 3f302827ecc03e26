/* SPDX-License-Identifier: MIT */
/* A growing string.  Always NUL-terminated; out of memory ends the tool. */
#ifndef PERSEUS_LIB_STRBUF_H
#define PERSEUS_LIB_STRBUF_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf {
	char *s;    /* never NULL after the first add */
	size_t len; /* bytes without the NUL */
	size_t cap;
};

#define STRBUF_INIT                                                                                          \
	{                                                                                                    \
		NULL, 0, 0                                                                                   \
	}

/* Append @len bytes. */
void strbuf_add(struct strbuf *sb, const void *data, size_t len);

/* Append a string. */
void strbuf_puts(struct strbuf *sb, const char *s);

/* Append formatted text. */
void strbuf_printf(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Append @s as one word for sh: safe characters stay as they are, the rest goes into single quotes. */
void strbuf_word(struct strbuf *sb, const char *s);

/* Append @s as a field of a file for the plugin: %XX for blanks, controls, '%' and bytes above 0x7e; "-" if empty or NULL. */
void strbuf_percent(struct strbuf *sb, const char *s);

/*
 * Append @text, broken between words where a line would be longer than @columns; what begins
 * a line then has @indent in front.
 */
void strbuf_wrap(struct strbuf *sb, const char *text, const char *indent, size_t columns);

/* Hand the string over to the caller, who frees it; the buffer is empty. */
char *strbuf_detach(struct strbuf *sb);

/* Free the contents. */
void strbuf_release(struct strbuf *sb);

/* For qsort() and bsearch() of an array of texts, char *. */
int text_order(const void *a, const void *b);

/* Are two texts the same?  NULL is only NULL. */
bool text_equal(const char *a, const char *b);

/* What stands in front of word @i of @n in "a, b and c". */
const char *text_between(size_t i, size_t n);

#endif
