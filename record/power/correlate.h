/* SPDX-License-Identifier: MIT */
/* Inside of record/power: a meter's readings against what a program did. */
#ifndef PERSEUS_RECORD_POWER_CORRELATE_H
#define PERSEUS_RECORD_POWER_CORRELATE_H

#include "record/power/align.h"

#define CORRELATE_LEAST 0.6 /* below it nothing is said */

struct correlation {
	double start, drift; /* as in struct align */
	double fit;          /* correlation coefficient */
	double error;        /* s: nearer than this nothing can be distinguished */
};

/*
 * The place where power and CPU time go together best, of all that hold nine
 * tenths of the run.  -EINVAL: nowhere well enough, or at two places.
 */
int correlate_find(struct correlation *c, const struct series *s, const struct align_run *run,
		   struct err *err);

/* The same where the run begins, or ends, at @edge of the meter: only the drift is looked for. */
int correlate_from(struct correlation *c, const struct series *s, const struct align_run *run, double edge);
int correlate_until(struct correlation *c, const struct series *s, const struct align_run *run, double edge);

#endif
