/* SPDX-License-Identifier: MIT */
/*
 * In which phases two threads meet at a line.  A sharing run knows when each of
 * the two came to it first and last, for each place in the source; its own
 * boundaries say in which intervals that was.
 *
 * A side is where such a span begins and where it ends.  It is not in a phase in
 * which the two worked before or behind all spans for so long that they would
 * have been seen to meet there.  Phases that repeat in turn do the same each
 * time, and so do those that are alike (alike.h): where a side was not before the
 * first time, or behind the last, it was not in between.  The two meet where
 * both are.  If nothing says of a phase which of the two it is, none is known.
 */
#ifndef PERSEUS_ANALYZER_STAGES_H
#define PERSEUS_ANALYZER_STAGES_H

#include "analyzer/pairs/spans.h"
#include "analyzer/time/phases.h"
#include "lib/vec.h"
#include "yaml/model.h"

/* What a sharing run shows of one conflict. */
struct stages_meeting {
	const char *evidence; /* of the conflict, by which it is found: the same memory */
	size_t run;           /* number of the run */
	struct use_spans side[2];
};

/* A sharing run cut at its boundaries. */
struct stages_run {
	size_t run;
	uint64_t *tick;   /* where each interval begins */
	uint64_t settled; /* from this tick on only windows are watched; 0: all the time */
	uint64_t edge;    /* ticks: so near to a boundary a time may be of either side */
	struct intervals intervals;
	bool aligned; /* its boundaries are those of the first timing run */
};

struct stages {
	struct VEC(struct stages_meeting) meetings;
	struct VEC(struct stages_run) runs;
};

/* Cut sharing run number @run, whose timeline is @tl; @first: the intervals of the first timing run. */
void stages_add_run(struct stages *s, struct timeline *tl, size_t run, const struct intervals *first);

/* When the sides of conflict @c of the model came to its lines in run number @run. */
void stages_add_meeting(struct stages *s, const struct model_conflict *c, size_t run,
			const struct use_spans *a, const struct use_spans *b);

/*
 * Set the phases of the conflicts of @m, whose phases are @classes, and what their rates are in
 * those, or why they are not known.  @first: as above.
 */
void stages_fill(const struct stages *s, struct model *m, const struct phase_classes *classes,
		 const struct intervals *first);

void stages_release(struct stages *s);

#endif
