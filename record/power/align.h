/* SPDX-License-Identifier: MIT */
/* The clock of a meter and that of a run. */
#ifndef PERSEUS_RECORD_POWER_ALIGN_H
#define PERSEUS_RECORD_POWER_ALIGN_H

#include "record/power/joules.h"
#include "record/power/series.h"

#define ALIGN_MOST_DRIFT 0.02 /* of a clock; beyond it something else is wrong */

/* What is known of the run. */
struct align_run {
	double seconds;     /* how long it took */
	double started;     /* seconds since 1970 */
	const double *busy; /* CPU seconds of the program in windows of equal length from its start on */
	size_t n_busy;
	double window;
};

/* Second t of the run is second start + t x (1 + drift) of the meter. */
struct align {
	enum joules_alignment how;
	double start, drift;
	double error; /* s */
	double fit;   /* correlation, 0: not computed */
};

/*
 * Find it: by a pulse of the trigger that is as long as the run, else by one edge and
 * what the program did, else by that alone.  -EINVAL: it cannot be found, or
 * two places fit as well; the message says where and what would help.
 */
int align_find(struct align *a, const struct series *s, const struct align_run *run, struct err *err);

/*
 * What the meter says of the run, into @j: joules, windows, error, what is missing.
 * -EINVAL: the file does not hold all of the run, or too much of it is missing.
 */
int align_joules(struct joules *j, const struct series *s, const struct align *a, const struct align_run *run,
		 struct err *err);

#endif
