/* SPDX-License-Identifier: MIT */
/* What is known of a run: its own figures, time, memory and joules; and what is required of them. */
#ifndef PERSEUS_CMD_TUNE_FIGURE_H
#define PERSEUS_CMD_TUNE_FIGURE_H

#include <stdbool.h>

#include "lib/err.h"

/* A run that ended well. */
struct figure_run {
	const char *text; /* what it printed */
	double seconds, memory_mb;
	double joules; /* below 0: not measured */
};

/* The figure @name: "seconds", "memory_mb", "joules", else what the program prints as `NAME VALUE`; NAN: there is none. */
double figure_of(const struct figure_run *run, const char *name);

/* "NAME <= NUMBER", also <, >=, >. */
struct figure_limit {
	char name[64];
	bool least;  /* it is to be above, not below */
	bool strict; /* ... or equal is not enough */
	double than;
};

/* Read @text.  -EINVAL: it is none. */
int figure_limit_parse(struct figure_limit *l, const char *text, struct err *err);

/* Does the run keep it?  A figure that is not there keeps nothing. */
bool figure_limit_kept(const struct figure_limit *l, const struct figure_run *run);

#endif
