/* SPDX-License-Identifier: MIT */
/* Names of the plan, which are those of the assembler, as a source writes them. */
#ifndef PERSEUS_CODEGEN_GRAFT_NAME_H
#define PERSEUS_CODEGEN_GRAFT_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "yaml/plan.h"

#define GRAFT_ORDINAL_NONE UINT32_MAX

struct graft_name {
	char *base;      /* last part, without template arguments; "" if @why is set */
	bool lambda;     /* the function of a lambda */
	bool special;    /* constructor, destructor, operator */
	bool instance;   /* of a template */
	bool library;    /* of the C++ library: std, or a namespace of its makers */
	bool indirect;   /* a callee that is not known by name */
	const char *why; /* NULL, or why it cannot be looked for in a source */
};

/* Read assembler name @name; released by graft_name_release(). */
void graft_name_read(struct graft_name *n, const char *name);
void graft_name_release(struct graft_name *n);

/* Append assembler name @name as people write it, safe in a comment, cut at @max bytes. */
void graft_name_print(struct strbuf *out, const char *name, size_t max);

/*
 * Which of the calls of its callee in its function @s is, from the hash that its id is; *@local: the function
 * belongs to its unit alone.  GRAFT_ORDINAL_NONE: the id does not belong to these names.
 */
uint32_t graft_ordinal(const struct plan_site *s, bool *local);

/* False if the id of @s is certainly not that of a call of its callee in its function. */
bool graft_names_fit(const struct plan_site *s);

#endif
