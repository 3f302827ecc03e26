/* SPDX-License-Identifier: MIT */
/*
 * What the threads of a phase do under locks that they share: as a part of
 * their work, since times differ from run to run and parts do not.  And what
 * else they waited for, which the model does not have.
 */
#ifndef PERSEUS_ANALYZER_LOCKS_SERIAL_H
#define PERSEUS_ANALYZER_LOCKS_SERIAL_H

#include "analyzer/time/bounds.h"
#include "analyzer/time/notes.h"
#include "yaml/model.h"

/*
 * Fill in the locks of all phases of @m, whose threads are those of tl->ins
 * and whose works are known; @phase_of: the phase of each interval of @b.
 */
void serial_fill(struct model *m, const struct timeline *tl, const struct bounds *b,
		 const uint32_t *phase_of);

/* Say in @notes for what threads waited that is neither in the phases nor in their locks, if it was long. */
void serial_unknown(const struct timeline *tl, struct notes *notes);

#endif
