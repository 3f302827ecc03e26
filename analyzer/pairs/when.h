/* SPDX-License-Identifier: MIT */
/* In which phases a pair of threads meets, for people: as the model says it. */
#ifndef PERSEUS_ANALYZER_PAIRS_WHEN_H
#define PERSEUS_ANALYZER_PAIRS_WHEN_H

#include <stddef.h>

#include "lib/strbuf.h"

struct when_phase {
	char *name;    /* phase-NNNNNN */
	char *opening; /* "(opened by the barrier at a.c:5)" */
	double share;  /* of the pair's conflict, 0..1; 0: not known */
};

struct pair_when {
	struct when_phase *at; /* none: wherever both run, or not known */
	size_t n;
	char *reason; /* why it is not known; NULL: nobody asked, or they meet wherever both run */
};

/* Add a phase; both texts are copied. */
void when_add(struct pair_when *w, const char *name, const char *opening, double share);

/*
 * "phase-000031 (opened by the barrier at a.c:5) 70 % and ...", or why it is not known, into
 * @sb; nothing where neither is said.
 */
void when_text(struct strbuf *sb, const struct pair_when *w);

void when_release(struct pair_when *w);

#endif
