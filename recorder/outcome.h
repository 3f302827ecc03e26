/* SPDX-License-Identifier: MIT */
/* How a recorded program ended, and what recording it took, for the manifest of its run. */
#ifndef PERSEUS_RECORDER_OUTCOME_H
#define PERSEUS_RECORDER_OUTCOME_H

#include <stdbool.h>

#include "lib/spawn/child.h"
#include "platform/events/samples.h"
#include "yaml/manifest.h"

/* Status and times; @goes_on: only the recording has ended, after c->wall_ns, and the program runs. */
void outcome_program(struct manifest *m, const struct child_result *c, bool goes_on);

/* What was found by looks at where the program was. */
void outcome_samples(struct manifest *m, const struct samples_totals *s);

/* On which cores the looks found it: a file of the run @dir.  0 or a negative errno. */
int outcome_cores(const char *dir, const struct samples_cores *cores, struct err *err);

/*
 * CPU time of this process so far: sealing large records, or the description of
 * a trace, takes as long as all before it.  The first call measures what a
 * system call takes, in some microseconds.
 */
void outcome_recorder(struct manifest *m);

/* A limit of the address space was meant for the program: records are mapped as a whole. */
void outcome_use_all_space(void);

#endif
