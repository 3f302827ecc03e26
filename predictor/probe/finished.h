/* SPDX-License-Identifier: MIT */
/* Finished tasks with other inputs: the logs of a folder in which the target itself was run. */
#ifndef PERSEUS_PREDICTOR_PROBE_FINISHED_H
#define PERSEUS_PREDICTOR_PROBE_FINISHED_H

#include "predictor/model/history.h"
#include "predictor/probe/log.h"

struct finished_task {
	struct probes probes;
	double target; /* geometric mean of what the whole took */
};

struct finished {
	size_t sizes; /* parameters that stand in the command; features are another input's */
	double target[GROWTH_PARAMS];
	struct VEC(struct finished_task) tasks;
	size_t unfinished; /* logs without a run of the target */
	size_t foreign;    /* logs of other parameters or figures */
};

/*
 * Read all files `*.log' in @folder, but that of @t itself.  0 also if there is none; -errno: one
 * cannot be read or is no log.
 */
int finished_read(struct finished *f, const char *folder, const struct task *t, size_t sizes,
		  const double *target, struct err *err);
void finished_release(struct finished *f);

/* The size from which the whole is foreseen best. */
struct finished_choice {
	double x[GROWTH_PARAMS];
	struct history_line line;
	double share; /* of the whole that a run of this size takes, geometric mean */
};

/* Of all sizes that enough tasks ran, and that take @share of the whole at most.  False: there is none. */
bool finished_choose(const struct finished *f, const struct task *t, double share,
		     struct finished_choice *out);

/* Judge by a run at choice->x among @probes. */
int finished_judge(struct judgement *j, const struct task *t, const struct probes *probes,
		   const struct finished *f, const struct finished_choice *choice, struct err *err);

#endif
