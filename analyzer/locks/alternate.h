/* SPDX-License-Identifier: MIT */
/*
 * Threads that work in turns: each hands over to the other and waits until it
 * is handed back.  What they do is done one after the other, as if it were
 * under one lock.
 *
 * Sums of waits do not tell this from a stream between them whose buffer is
 * full and empty in turn, as it is where they share a core.  The order of
 * events does: in turns a thread that has signalled waits at once, in a
 * stream it makes the next item first.
 */
#ifndef PERSEUS_ANALYZER_LOCKS_ALTERNATE_H
#define PERSEUS_ANALYZER_LOCKS_ALTERNATE_H

#include "analyzer/time/bounds.h"

/* Two threads of a process of which each waits for the other, about as long as the other works. */
struct alternate {
	uint32_t a, b;             /* a < b */
	uint64_t count_a, count_b; /* waits */
	uint64_t first, last;      /* ticks: from the first wait to the end of the last */
	bool strict;               /* never at work at the same time, and with nobody else */
};

struct alternates {
	struct alternate *at; /* by thread */
	size_t n;
	size_t cap;
};

/* Find them; what is not strict may be a stream. */
void alternate_find(struct alternates *turns, const struct timeline *tl);
void alternate_release(struct alternates *turns);

/* The strict one that @thread is in, NULL. */
const struct alternate *alternate_of(const struct alternates *turns, uint32_t thread);

/* Is @kind of wait (enum prs_event_kind) one for what another thread has done? */
bool alternate_wait(uint32_t kind);

#endif
