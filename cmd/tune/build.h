/* SPDX-License-Identifier: MIT */
/* perseus tune --build: programs built for settings, each once in a process. */
#ifndef PERSEUS_CMD_TUNE_BUILD_H
#define PERSEUS_CMD_TUNE_BUILD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

/* A command that this process has run. */
struct build {
	char hex[SHA256_HEX]; /* of the command */
	bool well;            /* it ended with 0 */
};

struct builds {
	char dir[PATH_MAX]; /* absolute */
	bool own;           /* it is removed at the end */
	struct VEC(struct build) known;
	uint64_t used; /* times that a known one was asked for again */
};

/* Builds are kept in @dir, NULL: in one of our own, until builds_close().  0 or a negative errno. */
int builds_open(struct builds *b, const char *dir, struct err *err);
void builds_close(struct builds *b);

/*
 * Run @command, "{build}" in it being the folder for what it makes, unless this process did that already.  What an
 * earlier process left in the folder is still there, so that the command may build what changed since and no more.
 * @path gets the folder; *@well: the command ended with 0.  -EINTR: a signal stopped it.
 */
int builds_get(struct builds *b, const char *command, char path[PATH_MAX], bool *well, struct err *err);

#endif
