/* SPDX-License-Identifier: MIT */
/* Names of the plan, which are those of the assembler, as a source writes them. */
#ifndef PERSEUS_CODEGEN_GRAFT_NAME_H
#define PERSEUS_CODEGEN_GRAFT_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "yaml/plan.h"

#define GRAFT_ORDINAL_NONE UINT32_MAX

struct graft_name {
	char *base;      /* last part, without template arguments; "" if @why is set */
	bool lambda;     /* the function of a lambda */
	bool special;    /* constructor, destructor, operator */
	bool instance;   /* of a template */
	bool indirect;   /* a callee that is not known by name */
	const char *why; /* NULL, or why it cannot be looked for in a source */
};

/* Read assembler name @name; released by graft_name_release(). */
void graft_name_read(struct graft_name *n, const char *name);
void graft_name_release(struct graft_name *n);

/*
 * Which of the calls of its callee in its function @s is, from the hash that its id is; *@local: the function
 * belongs to its unit alone.  GRAFT_ORDINAL_NONE: the id does not belong to these names.
 */
uint32_t graft_ordinal(const struct plan_site *s, bool *local);

#endif
