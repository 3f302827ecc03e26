/* SPDX-License-Identifier: MIT */
/* The runs that lie in RUNS_DIR: what they are, and taking some away. */
#ifndef PERSEUS_RECORDER_STORED_H
#define PERSEUS_RECORDER_STORED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "lib/vec.h"
#include "yaml/manifest.h"

struct stored_run {
	char *name;               /* below RUNS_DIR; of a run elsewhere its absolute path */
	struct manifest manifest; /* all empty if @why */
	char *why;                /* the manifest is missing or cannot be read; NULL: it is there */
	time_t recorded;          /* when the manifest was written last */
	uint64_t bytes;           /* on disk */
	bool elsewhere;           /* record -o put it there; only a link leads to it */
};
struct stored_runs VEC(struct stored_run);

struct stored_link {
	char *name;      /* "last", "last-timing" */
	char *target;    /* as it stands in the link */
	const char *run; /* a name of the list; NULL: it leads to no run */
};
struct stored_links VEC(struct stored_link);

struct stored {
	struct stored_runs runs; /* the newest first; those elsewhere last */
	struct stored_links links;
	struct err fault; /* what this machine could not read now, the first */
};

/*
 * What lies in RUNS_DIR of the current directory; nothing there is no error.  Fails
 * with -EACCES, ... if the directory cannot be read, or with what err_is_fault() of a
 * run: a list without it would have links mended that lead there.  stored_release() ends
 * it either way.
 */
int stored_list(struct stored *s, struct err *err);

void stored_release(struct stored *s);

/* The run that @word names: a name of the list, RUNS_DIR/NAME, "@last" like names.  NULL: none. */
const struct stored_run *stored_find(const struct stored *s, const char *word);

/*
 * Remove the directory of @run with all that is inside.  Fails with -EINVAL if it lies
 * elsewhere, -EACCES if it is not ours, -EBUSY if a process has a file of it in its
 * memory, and with what the removal fails with.  @s still names it afterwards.
 */
int stored_delete(const struct stored_run *run, struct err *err);

/*
 * Links that lead to no run are led to the newest one of their purpose, or removed if
 * there is none; a line about each in @said.  @s is not changed: list it anew.
 */
void stored_heal(const struct stored *s, struct strbuf *said);

#endif
