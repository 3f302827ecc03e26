/* SPDX-License-Identifier: MIT */
/* Arguments of the plugin, as `perseus build` and `perseus flags` take them. */
#ifndef PERSEUS_CMD_BUILD_PLUGIN_ARGS_H
#define PERSEUS_CMD_BUILD_PLUGIN_ARGS_H

#include <stdbool.h>

#include "lib/err.h"
#include "lib/vec.h"

struct plugin_args VEC(char *); /* "-fplugin-arg-perseus-KEY=VALUE", in the order given */

/* For the table of getopt_long(): values below 32 are no characters. */
enum plugin_args_option {
	PLUGIN_ARG_PROBE = 1,
	PLUGIN_ARG_SELECT,
	PLUGIN_ARG_SKIP,
	PLUGIN_ARG_RULES,
	PLUGIN_ARG_PLAN,
	PLUGIN_ARG_ANY,
	PLUGIN_ARG_END,
};
#define PLUGIN_ARGS_LONGS                                                                                    \
	{"probe", required_argument, NULL, PLUGIN_ARG_PROBE},                                                \
		{"select", required_argument, NULL, PLUGIN_ARG_SELECT},                                      \
		{"skip", required_argument, NULL, PLUGIN_ARG_SKIP},                                          \
		{"rules", required_argument, NULL, PLUGIN_ARG_RULES},                                        \
		{"plan", required_argument, NULL, PLUGIN_ARG_PLAN},                                          \
	{                                                                                                    \
		"arg", required_argument, NULL, PLUGIN_ARG_ANY                                               \
	}
/* For their --help. */
#define PLUGIN_ARGS_USAGE                                                                                    \
	"  --probe=KINDS   calls,memory (default), calls, memory or none\n"                                  \
	"  --select=GLOBS  probes only in what matches; --skip=GLOBS not in what matches\n"                  \
	"  --rules=FILE    leave out what this file of `perseus sites` says\n"                               \
	"  --plan=FILE     a planned build: the triggers of this perseus_triggers.plan\n"                    \
	"  --arg=KEY=VALUE any other argument of the plugin\n"

static inline bool plugin_args_is(int c)
{
	return c > 0 && c < PLUGIN_ARG_END;
}

/*
 * Add what option @c (one of enum plugin_args_option) says.  The files of rules
 * and plan are named by their full path, and their hashes go with them, so that
 * a compiler cache sees a change.  Fails with -EINVAL (malformed), -ENOENT, ...
 */
int plugin_args_add(struct plugin_args *a, int c, const char *value, struct err *err);

/* Free the list. */
void plugin_args_release(struct plugin_args *a);

#endif
