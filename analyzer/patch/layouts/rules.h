/* SPDX-License-Identifier: MIT */
/*
 * What a struct becomes when a plan aligns members of it: the rules of the processor's
 * ABI, applied to the members that the site table has with their alignments.
 */
#ifndef PERSEUS_ANALYZER_PATCH_LAYOUTS_RULES_H
#define PERSEUS_ANALYZER_PATCH_LAYOUTS_RULES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "record/run.h"
#include "yaml/plan.h"

/* The first @n of these are applied. */
struct layout_rules {
	const struct run *run;
	const struct plan_layout *const *layouts;
	size_t n;
};

struct layout_room {
	uint64_t bytes;
	uint64_t align;
};

/* Two names of one type: `struct ' and blanks do not count. */
bool layout_same_type(const char *a, const char *b);

/*
 * Lay @t out; @then: where each of its t->n_parts members begins, or NULL.  -ENOTSUP: why the
 * site table does not tell.
 */
int layout_rules_apply(const struct layout_rules *rules, const struct run_type *t, uint64_t *then,
		       struct layout_room *out, struct err *err);

#endif
