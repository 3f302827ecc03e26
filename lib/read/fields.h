/* SPDX-License-Identifier: MIT */
/*
 * Tables of text: lines of a file, plain or compressed by gzip, cut into fields in
 * place.  Fields may stand in double quotes, with separators inside and a quote
 * as two; a line that begins with '#' is a comment.
 */
#ifndef PERSEUS_LIB_READ_FIELDS_H
#define PERSEUS_LIB_READ_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

#define FIELDS_MAX 256 /* columns */

struct fields;

/* Open @path ("-": standard input, which cannot be rewound). */
int fields_open(struct fields **in, const char *path, struct err *err);
void fields_close(struct fields *in);

/*
 * Find the line of names and cut it: their number, 0 for a file without lines, or
 * an error as of fields_next().  It is the first line, with or without a '#' in
 * front; or behind comments the first line that is none, unless that has numbers
 * and the last comment has as many columns of names.  The separator is the tab,
 * semicolon or comma that it has most of, and counts from then on.
 */
int fields_names(struct fields *in, char **field, struct err *err);

/*
 * The next line that is not empty and no comment, cut into fields without blanks
 * around them: their number, 0 at the end, or -EINVAL (line too long, a NUL in it,
 * too many fields, a quote that does not end; at the end: numbers whose commas
 * could all be of thousands), -EIO.  The fields are valid until the next call.
 */
int fields_next(struct fields *in, char **field, struct err *err);

/* Begin again behind the names. */
int fields_rewind(struct fields *in, struct err *err);

/* The line that was read last, from 1. */
uint64_t fields_line(const struct fields *in);

/* What separates the columns. */
char fields_separator(const struct fields *in);

/* The name of the file. */
const char *fields_path(const struct fields *in);

/*
 * All of @text, a field of the last line, as a number: 0; -EINVAL where it is none or
 * not finite; -EDOM where it has a decimal point and another had a comma, or
 * the other way round.  Where columns are not separated by commas, one comma is a
 * decimal point.  Gives what strtod() gives.
 */
int fields_number(struct fields *in, const char *text, double *out);

#endif
