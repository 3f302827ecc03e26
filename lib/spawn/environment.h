/* SPDX-License-Identifier: MIT */
/* What a program finds in its environment beside what this process has. */
#ifndef PERSEUS_LIB_SPAWN_ENVIRONMENT_H
#define PERSEUS_LIB_SPAWN_ENVIRONMENT_H

#include "lib/vec.h"

/* "NAME=VALUE"s, for child_spec.environment once it ends in NULL. */
struct environment VEC(char *);

/* Append one. */
void environment_set(struct environment *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Free the contents. */
void environment_release(struct environment *e);

#endif
