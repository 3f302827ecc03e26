/* SPDX-License-Identifier: MIT */
/* Several recordings of one program: each narrows what the others say of a cost. */
#ifndef PERSEUS_ANALYZER_RECORDINGS_H
#define PERSEUS_ANALYZER_RECORDINGS_H

#include "analyzer/sharing/sharing.h"

/*
 * Join what @other says of the findings of @rep, the same ones by their id: the cost
 * lies in all their intervals, the estimate is the median, by finding.  Intervals
 * that have nothing in common become one that spans them all, of low confidence.
 * A priced finding of @other that may cost SHARING_COST_PERCENT and that @rep lacks
 * is a doubt.  Counts of @rep are made anew.
 */
void recordings_join(struct sharing_report *rep, const struct sharing_report *other, size_t n);

/*
 * Read the runs @path[0..@n), judge them as @rep was made of @run, and join what they
 * say.  Fails as run_open() and sharing_make() do, and if one is not of @run's program.
 */
int recordings_read(struct sharing_report *rep, const struct run *run, char *const *path, size_t n,
		    const struct sharing_opts *opts, struct err *err);

#endif
