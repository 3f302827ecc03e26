/* SPDX-License-Identifier: MIT */
/* A run of purpose "denormal": its directory, read whole. */
#ifndef PERSEUS_RECORD_DENORMAL_RUN_H
#define PERSEUS_RECORD_DENORMAL_RUN_H

#include "record/denormal/denormal.h"
#include "record/denormal/traps.h"
#include "record/file/types.h"
#include "yaml/manifest.h"

struct denormal_run {
	char *path; /* as people see it */
	struct manifest manifest;
	struct denormal counts;
	struct denormal_traps traps; /* of programs without probes */
	struct run_module *modules;  /* symbols of the manifest's modules, in its order; none may be empty */
	size_t unlinked;             /* units compiled under -flto with the plugin, but linked without it */
	char *incomplete;            /* one sentence; NULL: all of it is there */
};

/*
 * Open the run @path, as run_folder() finds it.  -ENODATA: it has no counts, and why; -EINVAL:
 * damaged.  A killed program's run opens, with `incomplete` set.
 */
int denormal_run_open(struct denormal_run *run, const char *path, struct err *err);

/*
 * The counts in directory @dir alone, settled, while the manifest is still being
 * written.  -ENODATA: there are none.  @d is released by the caller in any case.
 */
int denormal_read(struct denormal *d, const char *dir, struct err *err);

/* The function or variable at a run-time address of process @file; NULL: not known.  @offset may be NULL. */
const struct run_symbol *denormal_symbol(const struct denormal_run *run, size_t file, uint64_t address,
					 uint64_t *offset);

void denormal_run_close(struct denormal_run *run);

#endif
