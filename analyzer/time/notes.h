/* SPDX-License-Identifier: MIT */
/* What the analysis left out and why: sentences for the reader, in order. */
#ifndef PERSEUS_ANALYZER_TIME_NOTES_H
#define PERSEUS_ANALYZER_TIME_NOTES_H

#include <stddef.h>

struct notes {
	char **at; /* one line each, no full stop */
	size_t n;
	size_t cap;
};

/* Append a note; the same text is kept once. */
void notes_add(struct notes *notes, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * The same, where lines that say one thing of several, "thread a: it ..." and
 * "thread b: it ...", are one: "thread a: it ... (the same for 1 more: thread b)".
 */
void notes_grouped(const struct notes *notes, struct notes *out);

/* Free everything inside. */
void notes_release(struct notes *notes);

#endif
