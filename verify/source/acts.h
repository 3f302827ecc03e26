/* SPDX-License-Identifier: MIT */
/*
 * Does the reviewed perseus_triggers.c do what the plan says?  Its functions
 * are run with a counterfeit platform: each thread's start, each creation,
 * each trigger as each thread at the visits where the plan or a constant of
 * the source could make a difference.  What they set is compared with the plan.
 */
#ifndef PERSEUS_VERIFY_SOURCE_ACTS_H
#define PERSEUS_VERIFY_SOURCE_ACTS_H

#include "verify/base/plan.h"

struct acts {
	uint64_t runs;     /* of functions of the source */
	uint64_t settings; /* of cores and frequencies that were as planned */
	char sha256[65];   /* of the source */
};

/* Differences are lines in @list; -1 if the source is not of the form that codegen writes. */
int acts_check(struct acts *a, const char *path, const struct vplan *p, struct findings *list,
	       struct fault *f);

#endif
