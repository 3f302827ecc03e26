/* SPDX-License-Identifier: MIT */
/*
 * Is what this program reads what runs?  The sections that it looks at must
 * be what the segments load, the program must begin at _start, and nothing may
 * be loaded beside them that could change code.
 */
#ifndef PERSEUS_VERIFY_LOADING_H
#define PERSEUS_VERIFY_LOADING_H

#include "verify/symbols.h"

/* Each difference is one line in @list. */
void loading_check(const struct image *e, const struct symbols *s, struct findings *list);

#endif
