/* SPDX-License-Identifier: MIT */
/* More layouts in the text of a plan that people may have written. */
#ifndef PERSEUS_CMD_CONFLICTS_PLAN_TEXT_H
#define PERSEUS_CMD_CONFLICTS_PLAN_TEXT_H

#include "lib/err.h"
#include "lib/strbuf.h"
#include "yaml/plan.h"

/*
 * Append @text, a plan called @name, to @out with the @n @layouts behind those that it has; all
 * else is kept, byte by byte.  -EINVAL: why they cannot be put in.
 */
int plan_text_extend(struct strbuf *out, const struct strbuf *text, const char *name,
		     const struct plan_layout *const *layouts, size_t n, struct err *err);

#endif
