/* SPDX-License-Identifier: MIT */
/*
 * plan + sources -> unified diff that puts the calls of the triggers into the
 * sources, so that the build needs no plugin.  Sources are read, never
 * written.  What cannot be done with certainty is not done: it is listed.
 */
#ifndef PERSEUS_CODEGEN_GRAFT_GRAFT_H
#define PERSEUS_CODEGEN_GRAFT_GRAFT_H

#include <stddef.h>

#include "codegen/view/input.h"
#include "lib/err.h"
#include "lib/strbuf.h"

struct graft_input {
	const struct codegen_input *plan;
	const char *root;    /* directory of the sources */
	const char *program; /* the recorded program, or NULL */
};

struct graft_output {
	struct strbuf patch;   /* for `patch -p1` or `git apply` in the root; comments on top */
	struct strbuf by_hand; /* a line for each place that is left: "by hand: FILE:LINE FUNCTION: ..." */
	size_t places, done, files;
};

/*
 * Make the diff.  -ENOENT, -ENOTDIR: the root; -EINVAL: the plan contradicts itself, or the program is not
 * that of the plan; errors of reading it.  The caller releases @out in every case.
 */
int graft_make(struct graft_output *out, const struct graft_input *in, struct err *err);

/* Free the contents. */
void graft_release(struct graft_output *out);

#endif
