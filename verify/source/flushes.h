/* SPDX-License-Identifier: MIT */
/* Do the reviewed functions of a flush set and put back the register as the plan says? */
#ifndef PERSEUS_VERIFY_SOURCE_FLUSHES_H
#define PERSEUS_VERIFY_SOURCE_FLUSHES_H

#include "verify/source/acts.h"
#include "verify/source/world.h"

/* A source that is run, and the platform under it. */
struct flush_run {
	struct crun *r;
	struct world *w;
	struct acts *a;
	const struct vplan *p;
	struct findings *list;
	const struct fault *f; /* of the run */
};

/* Each flush of the plan, alone and round each other; differences are lines in x->list. */
void flushes_check(struct flush_run *x);

#endif
