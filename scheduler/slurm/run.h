/* SPDX-License-Identifier: MIT */
/* A workflow on Slurm: its tasks are jobs, its plan is their nodes and what they wait for. */
#ifndef PERSEUS_SCHEDULER_SLURM_RUN_H
#define PERSEUS_SCHEDULER_SLURM_RUN_H

#include "scheduler/slurm/journal.h"

struct slurm_options {
	const char *journal;
	uint64_t seed, effort;                    /* of the search for a plan */
	unsigned poll_ms;                         /* between two looks */
	void (*say)(void *arg, const char *text); /* what happens, a line each, without its end */
	void *arg;
};

struct slurm_result {
	size_t done, failed; /* tasks that ended with status 0; with another one, or were cancelled */
	size_t skipped;      /* not run: what they wait for failed */
	size_t lost;         /* neither Slurm nor its accounting nor the journal says how they ended */
};

/*
 * Run all tasks of @w, each of which has a command, to their end, or go on with a run that was ended before.  -EINVAL:
 * a node that Slurm does not have, a task without a command, the journal of another workflow, a job that Slurm refuses;
 * -EWOULDBLOCK: another process has the journal; -ENOENT: Slurm's commands are not installed; -EINTR.
 */
int slurm_run(const struct workflow *w, const struct slurm_options *o, struct slurm_result *r,
	      struct err *err);

#endif
