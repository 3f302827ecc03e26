/* SPDX-License-Identifier: MIT */
/*
 * When threads hold locks that others want, too.  The record sums up: how
 * often a thread took a lock, for how long, and when first.  Spread evenly
 * over the rest of its life this gives rows of holds that no other hold
 * overlaps: where exactly each one lay is lost, how much of the work under the
 * lock is done one after the other is not.
 */
#ifndef PERSEUS_ANALYZER_LOCKS_LOCKS_H
#define PERSEUS_ANALYZER_LOCKS_LOCKS_H

#include "analyzer/time/bounds.h"

/* A thread holds a lock in this part of its CPU time. */
struct hold {
	uint64_t from, to; /* ns of CPU time */
	uint32_t lock;
};

struct hold_row {
	struct hold *at; /* ascending, none overlaps another */
	size_t n;
	size_t cap;
};

struct held_lock {
	uint64_t object;       /* its address */
	uint32_t thread, site; /* a thread that took it, and in which timed call first; PRS_NO_SITE */
};

struct holds {
	struct hold_row *of; /* by thread of the process */
	size_t n_threads;
	struct held_lock *locks;
	uint32_t n_locks;
};

/* Find the holds of all threads at mutexes and spin locks that at least two of them took. */
void holds_find(struct holds *h, const struct timeline *tl);
void holds_release(struct holds *h);

/* The first hold of @row that is not over when the thread has used @ns of CPU time; may be the end. */
const struct hold *hold_from(const struct hold_row *row, uint64_t ns);

#endif
