/* SPDX-License-Identifier: MIT */
/*
 * Phases that do the same although they are opened by different calls.  The
 * first turn of a loop begins where its threads are created, or behind a
 * barrier before the loop; the later ones begin at the barrier at its end.
 * They stay two phases, since a plan acts at different places; but what is
 * true of the one tells about the other.
 */
#ifndef PERSEUS_ANALYZER_ALIKE_H
#define PERSEUS_ANALYZER_ALIKE_H

#include "analyzer/time/phases.h"

/*
 * By class: the first class that does the same, or itself.  @first: intervals of the
 * first timing run, by which @classes->of_first counts.  The caller frees it.
 */
uint32_t *classes_alike(const struct phase_classes *classes, const struct intervals *first);

#endif
