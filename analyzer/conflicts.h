/* SPDX-License-Identifier: MIT */
/* Findings of sharing runs as conflicts of the model. */
#ifndef PERSEUS_ANALYZER_CONFLICTS_H
#define PERSEUS_ANALYZER_CONFLICTS_H

#include "analyzer/sharing/sharing.h"
#include "analyzer/stages.h"
#include "analyzer/time/threads.h"
#include "yaml/model.h"

/* Pairs with fewer accesses than this per kilocycle on both sides cannot matter. */
#define CONFLICT_MIN_RATE 0.02
/* At most so many pairs; the rest is the rarest. */
#define CONFLICT_MAX 4096u

/*
 * Add the pairs of @rep, made from @run, which is number @run_number in
 * @ins, to @m.  A pair that earlier sharing runs (@before of them) showed
 * gets the mean.  Pairs without a verdict are left out.  When they met goes to
 * @stages; what is left out is said in @notes.
 */
void conflicts_add(struct model *m, const struct sharing_report *rep, const struct run *run,
		   const struct instances *ins, size_t run_number, size_t before, struct stages *stages,
		   struct notes *notes);

/*
 * Tell the pairs of @rep, as added to @m above, in which phases they meet: pair.when.
 * @opening: of each phase of @m, for people.
 */
void conflicts_tell(struct model *m, const char *const *opening, struct sharing_report *rep,
		    const struct run *run, const struct instances *ins, size_t run_number);

#endif
