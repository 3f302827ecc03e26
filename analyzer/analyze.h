/* SPDX-License-Identifier: MIT */
/* Runs of one program -> model. */
#ifndef PERSEUS_ANALYZER_ANALYZE_H
#define PERSEUS_ANALYZER_ANALYZE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/sharing/sharing.h"
#include "analyzer/time/notes.h"
#include "lib/strbuf.h"
#include "record/run.h"
#include "yaml/model.h"

struct analysis {
	struct model model;
	struct notes rejected; /* threads, boundaries, conflicts left out, and why */
	size_t n_timing, n_sharing;
	uint32_t timing_cores; /* that a timing run could use, the most of them; 0: not known */
};

/*
 * Make a model from @n runs of one build of a program, in any order: at
 * least one timing run, which gives threads, phases and work, and any number
 * of sharing runs, which give the conflicts.  They are joined by site,
 * instance and phase, never by time.
 *
 * Fails with -EINVAL (no timing run; different programs; one run named
 * twice), -ENODATA (an incomplete run, unless @partial).
 */
int analyze(struct analysis *a, const struct run *const *runs, size_t n, bool partial, struct err *err);

/* The same, and the block file of the first timing run (record/blocks/blocks.h) is appended to @blocks, unless NULL. */
int analyze_blocks(struct analysis *a, const struct run *const *runs, size_t n, bool partial,
		   struct strbuf *blocks, struct err *err);

/*
 * Say of the pairs of @rep, which was made of sharing run @run with times of @timing, in which
 * phases they meet; their names are those of a model of these two runs.  Nothing is said if
 * they make no model.
 */
void analyze_meetings(struct sharing_report *rep, const struct run *run, const struct run *timing);

/* Free everything inside. */
void analysis_release(struct analysis *a);

#endif
