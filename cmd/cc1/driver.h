/* SPDX-License-Identifier: MIT */
/* The compiler proper that a GCC driver would have run, had it not been sent to perseus-cc1. */
#ifndef PERSEUS_CMD_CC1_DRIVER_H
#define PERSEUS_CMD_CC1_DRIVER_H

#include <limits.h>

#include "lib/err.h"

struct real_tool {
	char path[PATH_MAX]; /* the real cc1, cc1plus, ... */
	char machine[128];   /* as of -dumpmachine: x86_64-linux-gnu */
	char version[32];    /* as of -dumpfullversion: 12.2.0 */
};

/*
 * Take the directory of perseus-cc1's links out of COMPILER_PATH.  Without
 * it the driver answers truthfully, and what is executed now does not come
 * back here.  @links: path of that directory.
 */
void driver_clean_path(const char *links);

/*
 * Find the real @tool: by asking the driver that COLLECT_GCC names, else the
 * parent process if it is one.  Answers are kept in directory @cache (NULL:
 * nowhere).  Call driver_clean_path() first.  Fails with -ENOENT.
 */
int driver_find(const char *tool, const char *cache, struct real_tool *t, struct err *err);

#endif
