/* SPDX-License-Identifier: MIT */
/*
 * In which phase two threads meet at a line.  A sharing run knows when they did
 * first and last; its own boundaries say in which intervals that was.  If both
 * are of one phase of the model, and the two worked in others as well for so
 * long before or after that they would have been seen to meet there, the
 * conflict is one of that phase; else it is one of all phases in which both
 * work.  Phases that repeat in turn do the same each time: where two did not meet
 * before the first time, or after the last, they did not meet in between.
 */
#ifndef PERSEUS_ANALYZER_STAGES_H
#define PERSEUS_ANALYZER_STAGES_H

#include "analyzer/time/phases.h"
#include "lib/vec.h"
#include "yaml/model.h"

/* What a sharing run shows of one conflict. */
struct stages_meeting {
	const char *evidence; /* of the conflict, by which it is found: the same memory */
	size_t run;           /* number of the run */
	uint64_t from, to;    /* ticks */
	double transfers;
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

/* Conflict @c of the model was seen in run number @run between two ticks. */
void stages_add_meeting(struct stages *s, const struct model_conflict *c, size_t run, uint64_t from,
			uint64_t to, double transfers);

/* Set the phases of the conflicts of @m, whose phases are @classes, and what their rates are in those. */
void stages_fill(const struct stages *s, struct model *m, const struct phase_classes *classes);

void stages_release(struct stages *s);

#endif
