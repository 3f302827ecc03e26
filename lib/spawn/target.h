/* SPDX-License-Identifier: MIT */
/* A program that somebody wants to be run: where it is, whether it can be recorded. */
#ifndef PERSEUS_LIB_SPAWN_TARGET_H
#define PERSEUS_LIB_SPAWN_TARGET_H

#include <limits.h>
#include <stdbool.h>

#include "lib/err.h"
#include "lib/inspect/elf.h"

struct target {
	char path[PATH_MAX]; /* as found, for exec() */
	char real[PATH_MAX]; /* without symbolic links, as the kernel names it */
	bool is_elf;         /* false: a script, whatever it starts can be recorded */
	bool has_clang;      /* .comment names clang, which takes -fplugin and adds no probes */
	struct elf_facts elf;
};

/* The first half of target_find(): only where it is, and that it can be run. */
int target_locate(struct target *t, const char *name, struct err *err);

/*
 * Find @name as execvp() would and look at it.  Fails with -ENOENT, -EACCES
 * (not executable), -EISDIR, -ENOEXEC, or -ENOTSUP: it can be run but not
 * recorded (set-user-id, another architecture, static without the runtime).
 */
int target_find(struct target *t, const char *name, struct err *err);

#endif
