/* SPDX-License-Identifier: MIT */
/* The reviewed files, compiled again: how a compiler line that somebody gave is run. */
#ifndef PERSEUS_LIB_SPAWN_COMPILE_H
#define PERSEUS_LIB_SPAWN_COMPILE_H

#include "lib/strbuf.h"

/*
 * The command that compiles @source to @object by @cc, ended by NULL.  By a
 * shell, as @cc is a line of one; without debugging information, which names
 * folders and is not compared.  @line belongs to it: released by the caller,
 * after use.
 */
struct compile {
	struct strbuf line;
	const char *argv[10];
};
void compile_make(struct compile *c, const char *cc, const char *source, const char *object);

#endif
