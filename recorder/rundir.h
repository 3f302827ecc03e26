/* SPDX-License-Identifier: MIT */
/* Making a run directory, and the symbolic links that say which one was the last. */
#ifndef PERSEUS_RECORDER_RUNDIR_H
#define PERSEUS_RECORDER_RUNDIR_H

#include <limits.h>
#include <stdbool.h>

#include "lib/err.h"
#include "yaml/manifest.h"
#include "record/run.h"

struct rundir {
	char path[PATH_MAX];     /* as people see it */
	char absolute[PATH_MAX]; /* for the program, which may change directory */
	bool created;            /* false: an empty directory that was there */
	struct rundir_link {
		char name[64];         /* RUNS_DIR/last, RUNS_DIR/last-PURPOSE */
		char before[PATH_MAX]; /* what it pointed to, "" nothing */
		bool made;             /* it points here now */
	} link[2];
};

/*
 * Make a directory for a run: @want, which must not exist or be empty, or
 * with NULL the next free RUNS_DIR/NAME-N for the program's @name.  Then
 * let RUNS_DIR/last and last-@purpose point to it (for @want: if that is
 * possible).  A directory that is a link, belongs to somebody else or can be
 * written by others is not used: -EACCES.  Fails with -EEXIST, -EROFS, -EACCES,
 * -ENOSPC (less than 16 MB free), ...
 */
int rundir_make(struct rundir *d, const char *want, const char *name, const char *purpose, struct err *err);

/* Write the run's manifest.yaml anew. */
int rundir_save(const struct rundir *d, const struct manifest *m, struct err *err);

/* Undo rundir_make(): remove what is inside and the directory, put the links back. */
void rundir_remove(struct rundir *d);

/*
 * Let RUNS_DIR/@name lead to the run @to of RUNS_DIR, or with NULL remove that link.
 * 0; -EACCES if the directory is not ours alone, or what the change failed with.
 */
int rundir_link(const char *name, const char *to);

#endif
