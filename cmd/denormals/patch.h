/* SPDX-License-Identifier: MIT */
/* perseus denormals --patch: a threshold where denormals are born. */
#ifndef PERSEUS_CMD_DENORMALS_PATCH_H
#define PERSEUS_CMD_DENORMALS_PATCH_H

#include "lib/err.h"
#include "lib/strbuf.h"
#include "record/denormal/denormal.h"

/*
 * The sources are below @root, by the names that the compiler was given or the longest end of
 * them that is there.  Append to @diff the change of every line with births that can be
 * changed, and to @notes a line for each that cannot, with the reason.
 */
int births_patch(const struct denormal *d, const char *root, struct strbuf *diff, struct strbuf *notes,
		 struct err *err);

#endif
