/* SPDX-License-Identifier: MIT */
/* Arguments of the plugin, as `perseus build` and `perseus flags` take them. */
#ifndef PERSEUS_CMD_BUILD_PLUGIN_ARGS_H
#define PERSEUS_CMD_BUILD_PLUGIN_ARGS_H

#include "cmd/base/option.h"
#include "lib/vec.h"

struct plugin_args VEC(char *); /* "-fplugin-arg-perseus-KEY=VALUE", in the order given */

/* clang-format off */
#define PLUGIN_ARGS_ROWS(args)                                                                               \
	OPTION_CALL("probe", plugin_args_take, args),                                                        \
	OPTION_CALL("select", plugin_args_take, args),                                                       \
	OPTION_CALL("skip", plugin_args_take, args),                                                         \
	OPTION_CALL("rules", plugin_args_take, args),                                                        \
	OPTION_CALL("plan", plugin_args_take, args),                                                         \
	OPTION_CALL("guard", plugin_args_take, args),                                                        \
	OPTION_CALL("arg", plugin_args_take, args)
/* clang-format on */

/* For their --help. */
#define PLUGIN_ARGS_USAGE                                                                                    \
	"  --probe=KINDS   calls,memory (default), calls, memory, denormal[:MODE] or none\n"                 \
	"  --select=GLOBS  probes only in what matches; --skip=GLOBS not in what matches\n"                  \
	"  --rules=FILE    leave out what this file of `perseus sites` says\n"                               \
	"  --plan=FILE     a planned build: the triggers of this perseus_triggers.plan\n"                    \
	"  --guard=FILE    warn where what this file of `perseus conflicts --guard` names shares\n"          \
	"                  lines again; no probes unless --probe asks for them\n"                            \
	"  --arg=KEY=VALUE any other argument of the plugin\n"

/*
 * Add what the option @name says to the struct plugin_args @to; an option_take.
 * The files of rules, plan and guard are named by their full path, and their hashes go
 * with them, so that a compiler cache sees a change.
 */
int plugin_args_take(const struct cmd *cmd, const char *name, const char *value, void *to);

/* Free the list. */
void plugin_args_release(struct plugin_args *a);

#endif
