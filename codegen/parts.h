/* SPDX-License-Identifier: MIT */
/*
 * Templates with parts that not every plan needs: a line `@if NAME...`,
 * perhaps `@else`, and `@end`.  What is not needed is not generated, so that
 * a reviewer never reads code that this plan does not use.
 */
#ifndef PERSEUS_CODEGEN_PARTS_H
#define PERSEUS_CODEGEN_PARTS_H

#include <stdbool.h>

#include "lib/strbuf.h"

struct part {
	const char *name; /* of letters; NULL ends the array */
	bool wanted;
};

/* Append @text; a part is kept if one of the names behind its `@if` is wanted.  Parts do not nest. */
void parts_add(struct strbuf *out, const char *text, const struct part *parts);

#endif
