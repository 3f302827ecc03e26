/* SPDX-License-Identifier: MIT */
/* Which program a run is of, and whether two runs are of the same. */
#ifndef PERSEUS_ANALYZER_PROGRAM_H
#define PERSEUS_ANALYZER_PROGRAM_H

#include <stdbool.h>

#include "record/run.h"

/*
 * The manifest entry of the program itself: the module with the path of the
 * executable, else the first that carries probes; NULL: none.
 */
const struct manifest_module *program_module(const struct run *run);

/*
 * Check that runs @a and @b are of one build of one program: same name, build
 * id (if both have one) and site table; or of two builds with the same call
 * sites of which one carries no memory probes.  -EINVAL names what differs.
 */
int program_same(const struct run *a, const struct run *b, struct err *err);

/*
 * Open into @timing the last timing run, if it is a whole one of the build and
 * the command line of @run, on as many cores.  1; 0 if there is none such; or a
 * negative errno if this machine could not read it now.
 */
int program_timing_of(const struct run *run, struct run *timing, struct err *err);

/*
 * Share of the threads' time spent in calls to functions without probes
 * (other than waiting calls), 0..1, over the processes of the run.
 */
double program_outside(const struct run *run);

/* Last part of the run's path. */
const char *run_name(const struct run *run);

#endif
