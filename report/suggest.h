/* SPDX-License-Identifier: MIT */
/* perseus sites --suggest: from a run to the sites that a build should leave out. */
#ifndef PERSEUS_REPORT_SUGGEST_H
#define PERSEUS_REPORT_SUGGEST_H

#include <stdbool.h>

#include "lib/err.h"
#include "lib/strbuf.h"

/* What was found; shares of thread time are in percent. */
struct suggestion {
	double budget;
	double before, after; /* what probes take */
	double kept;          /* attributed time that stays with the function that spent it */
	unsigned long sites;  /* call sites that the run knows */
	unsigned long left_out;
	unsigned long carried; /* left out by the rules of the build that the run is of */
	struct strbuf text;    /* the rules file, include/perseus/rules.h */
};

/*
 * Choose the call sites of the timing run @path that are to carry no probe so
 * that probes take at most @budget percent of thread time.  Sites that create
 * threads, wait, allocate or free, and those at which the run saw a thread
 * created or an event, always stay.  What the rules of that build left out is
 * left out again, so that the file stands alone.  Fails as run_open() does, and with
 * -EINVAL if @path is a sharing run.  Release text in any case.
 */
int sites_suggest(struct suggestion *s, const char *path, double budget, struct err *err);

#endif
