/* SPDX-License-Identifier: MIT */
/* The changes that put calls of the triggers around a call. */
#ifndef PERSEUS_CODEGEN_GRAFT_EDIT_H
#define PERSEUS_CODEGEN_GRAFT_EDIT_H

#include "codegen/graft/tree.h"
#include "yaml/plan.h"

#define GRAFT_SIDE 2u /* a mark of creation and a trigger */

/* One call of the program, and what goes around it. */
struct graft_job {
	const struct plan_site *site;
	struct graft_file *file;
	struct scan_call call;
	char before[GRAFT_SIDE][48], after[GRAFT_SIDE][48]; /* names of functions, in their order */
	unsigned n_before, n_after;
	char result[48]; /* name for a variable, should one be needed */
	bool known_int;  /* the callee returns int: a function of pthreads */
};

/* Make the changes in job->file->edits; NULL, or why they cannot be made (then there are none). */
const char *graft_edit_call(const struct graft_job *job);

/* perseus_program_start() first thing in the body @open of main(). */
const char *graft_edit_start(struct graft_file *f, size_t open);

/*
 * #include "perseus_triggers.h", if there are other changes, and the check that it is of the plan
 * with @sha256.
 */
const char *graft_edit_include(struct graft_file *f, const char *sha256);

#endif
