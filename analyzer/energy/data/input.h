/* SPDX-License-Identifier: MIT */
/* Lines of a file, plain or compressed, cut into fields in place. */
#ifndef PERSEUS_ENERGY_INPUT_H
#define PERSEUS_ENERGY_INPUT_H

#include <stdint.h>

#include "lib/err.h"

#define ENERGY_MAX_COLUMNS 256

struct energy_input;

/* Open @path ("-": standard input, which cannot be rewound). */
int energy_input_open(struct energy_input **in, const char *path, struct err *err);
void energy_input_close(struct energy_input *in);
int energy_input_rewind(struct energy_input *in, struct err *err);

/*
 * The next line that is not empty, cut at @separator into at most
 * ENERGY_MAX_COLUMNS fields without blanks around them: their number, 0 at the
 * end, or -EINVAL (line too long, a NUL in it, too many fields), -EIO.  The
 * fields are valid until the next call.
 */
int energy_input_next(struct energy_input *in, char separator, char **field, struct err *err);

/* The line that was read last, from 1. */
uint64_t energy_input_line(const struct energy_input *in);

/*
 * All of @text as a number: 0, or -EINVAL where it is none or not finite.  Gives
 * what strtod() gives.
 */
int energy_number(const char *text, double *out);

#endif
