/* SPDX-License-Identifier: MIT */
/* Conditions and constraints: expressions over the tunables of a space. */
#ifndef PERSEUS_TUNER_SPACE_EXPR_H
#define PERSEUS_TUNER_SPACE_EXPR_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/space/space.h"

/*
 * Compile @text, which may name the first @known tunables of @s.  Returns NULL and what
 * is wrong in @why (@size bytes): a name that is not known, a word where a number is
 * needed, a value that a tunable does not have.  The caller frees it by expr_free().
 */
struct expr *expr_compile(const char *text, const struct space *s, size_t known, char *why, size_t size);
void expr_free(struct expr *e);

/* Is it true (not 0) of @x?  A division by 0 makes it false. */
bool expr_true(const struct expr *e, const struct space *s, const struct setting *x);

#endif
