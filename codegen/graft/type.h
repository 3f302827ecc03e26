/* SPDX-License-Identifier: MIT */
/* Types that the text tells with certainty. */
#ifndef PERSEUS_CODEGEN_GRAFT_TYPE_H
#define PERSEUS_CODEGEN_GRAFT_TYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/source/scan.h"

/*
 * The type that the function with body @open returns, as it is written there, without `static` and
 * the like; owned by the caller.  NULL: not certain, or nothing that can be kept in a variable.
 */
char *graft_return_type(const struct scan *c, size_t open);

/* True if tokens @from to @to declare a variable of a plain type: "int x", "const char *p", "auto r". */
bool graft_is_plain_type(const struct scan *c, size_t from, size_t to);

/* True if @from to @to is a comparison, a negation, or these joined: its value in C is an int, 0 or 1. */
bool graft_is_truth(const struct scan *c, size_t from, size_t to);

/* True if next to @call, which gives a number, nothing but numbers and comparisons stand there. */
bool graft_is_number(const struct scan *c, size_t from, size_t to, const struct scan_call *call);

#endif
