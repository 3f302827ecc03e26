/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a statement of an optimised function back to its place in the source. */
#ifndef PERSEUS_PLUGIN_WHERE_H
#define PERSEUS_PLUGIN_WHERE_H

#include "gcc-plugin/sites/facts.h"

struct where {
	struct fn_facts *fn; /* the source function that wrote the statement */
	const char *file;    /* NULL: position not known */
	int line, col;
	unsigned instance; /* hash of the inline chain, 0: not inlined */
	const char *chain; /* "main:12>f:3", outermost first, or "-" */
};

/* The place of @stmt in @fun.  @w's strings live until the next call. */
void where_is(gimple *stmt, function *fun, struct where *w);

/* The function that @stmt was written in: what was inlined to @fun, or @fun's own. */
tree where_writer(gimple *stmt, function *fun);

/*
 * The fact about a call of @callee at @w, NULL if the early pass saw none.
 * @depth is its callee_depth(): copies of nested calls begin anew.
 * @near: set if it was found without the position.
 */
struct call_fact *where_call(const struct where *w, const char *callee, unsigned depth, bool *near);

/* The fact about an access: @kind L S R A, numbers as in struct described. */
struct mem_fact *where_mem(const struct where *w, char kind, unsigned bytes, unsigned root, unsigned place,
			   bool *near);

#endif
