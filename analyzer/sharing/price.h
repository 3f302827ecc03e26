/* SPDX-License-Identifier: MIT */
/* What sharing costs on a platform, by the planner's model of it. */
#ifndef PERSEUS_ANALYZER_SHARING_PRICE_H
#define PERSEUS_ANALYZER_SHARING_PRICE_H

#include <stdbool.h>

#include "analyzer/sharing/sharing.h"
#include "yaml/platform.h"

/* How one process used the machine. */
struct price_setting {
	const double *cpu_ns; /* by thread */
	const double *run_ns; /* by thread: CPU time in the sharing run, with what probes took */
	size_t n_threads;
	double cores;
	double asleep_ns; /* of the run, in which no thread could have worked (analyzer/time/asleep.h) */
	double hit_ns;    /* what a probe takes that finds its line at hand */
	bool busy;        /* others had the cores in the sharing run, so that its threads seldom met */
	bool unsure;      /* besides, or what was seen of the two sides contradicts itself */
	bool native; /* cpu_ns holds what the threads waited for lines: a timing run's; else it is without */
};

/* True if the platform knows what a shared line costs between any of its usable cores. */
bool price_known(const struct platform *platform);

/*
 * Cost of a finding in percent of run time.  While both sides of a pair use
 * the line, each visit of a side costs what platform_conflict_ps() says for
 * the two gaps; nothing costs more than so many transfers as were seen can.
 * Where gaps are not known, each access that met the other thread's costs
 * (shared - alone) of its kind, and no more can meet than the rarer side
 * makes.  Run time is what the threads need on cores of their own: the
 * longest thread, or all work over all cores, and the time in which all slept.
 * Low and high are over the distances between usable cores, over what is not
 * known of the gaps, and over the spread of the prices; where the cores are known to move, over both prices,
 * and the cost is by those that the run's disputes fit better.  Sets priced, cost, cost_low, cost_high, cost_nearest.
 */
void price_finding(struct sharing_finding *f, const struct platform *platform,
		   const struct price_setting *setting);

#endif
