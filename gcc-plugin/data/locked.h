/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Locks on the heap have no symbol: what a program calls them is the member
 * that a call was given the address of, `&pool->stats_mutex`.
 */
#ifndef PERSEUS_PLUGIN_LOCKED_H
#define PERSEUS_PLUGIN_LOCKED_H

#include "gcc-plugin/base/gcc-common.h"

/* Where the lock that a call was given lies. */
struct locked {
	char type[128]; /* the aggregate, "" if none */
	char field
		[128]; /* "a.b"; a variable of the function if @type is ""; begins with '*': what it shows */
	long offset;   /* bytes in the aggregate, -1 unknown */
	char member[128]; /* type of what the call was given, "" not an aggregate */
};

/*
 * Argument @arg of @call, whose callee is called @callee: true if it shows a
 * lock, a condition or the like, or something of which one is a part, and if
 * where that lies can be said.
 */
bool locked_describe(gcall *call, const char *callee, unsigned arg, struct locked *out);

/* How many arguments of a call may be ones. */
#define LOCKED_ARGS 2

/* The name of @type in its own scope, the same under -flto; "" if it has none. */
const char *locked_tag(tree type);

#endif
