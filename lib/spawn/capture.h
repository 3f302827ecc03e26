/* SPDX-License-Identifier: MIT */
/* What a short command prints. */
#ifndef PERSEUS_LIB_SPAWN_CAPTURE_H
#define PERSEUS_LIB_SPAWN_CAPTURE_H

#include "lib/strbuf.h"

/*
 * Run @argv (by PATH, in the C locale, with "NAME=VALUE"s of @environment, may
 * be NULL) and append to @text what it prints on stdout and stderr, at most
 * 1 MiB.  It is killed after 20 s.  Returns the exit status as a shell shows
 * it, or a negative errno if it could not be run.
 */
int capture(const char *const *argv, const char *const *environment, struct strbuf *text);

/*
 * Append to @text what a child wrote into the file @fd, from its begin; not much more than @most
 * bytes.  Returns 0 or a negative errno.
 */
int capture_read(int fd, size_t most, struct strbuf *text);

/* The first line of @text that is not empty, cut to @size. */
void capture_first_line(const struct strbuf *text, char *buf, size_t size);

#endif
