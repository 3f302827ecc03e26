/* SPDX-License-Identifier: MIT */
/* Counts of the software directory of a sharing run, by looking at its records (record/live). */
#ifndef PERSEUS_MONITOR_COUNTS_DIRECTORY_H
#define PERSEUS_MONITOR_COUNTS_DIRECTORY_H

#include "monitor/counts/look.h"
#include "record/live/live.h"

#define DIRECTORY_EVENTS 4
#define DIRECTORY_HIT    "directory.hit" /* the next one is the most that it may be */

/* Append their names: directory.transfers, .hitm, .hit, .invalidations (README.md). */
void counts_directory_events(struct counts_events *events);

/* Counts of an entry, or of sums of them, as DIRECTORY_EVENTS values; @ns: how long was looked. */
void counts_directory_take(struct count *to, const struct live_lines *lines, uint64_t ns);

/* Append all threads of @l, with counts in columns @from on; those of a run that is no sharing run have none. */
void counts_directory_look(const struct live *l, struct counts_look *look, size_t from);

#endif
