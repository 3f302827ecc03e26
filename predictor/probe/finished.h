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

/*
 * The geometric mean of what the runs at @x among @probes took, in counts or in the figure; 0: there is none.  Of @x
 * the first f->sizes count.
 */
double finished_mean(const struct finished *f, const struct probes *probes, const double *x, bool count);

/* A size, and how the whole is foreseen from it. */
struct finished_choice {
	double x[GROWTH_PARAMS];
	size_t tasks;             /* that ran it */
	struct history_line line; /* n is 0: they are too few */
	double share;             /* of what is said of the whole that a run takes, on average */
};

struct finished_choices VEC(struct finished_choice);

/* Every size that finished tasks ran and that takes @share of the whole at most. */
void finished_sizes(const struct finished *f, const struct task *t, double share,
		    struct finished_choices *out);

/* Of all sizes that enough tasks ran, and that take @share of the whole at most.  False: there is none. */
bool finished_choose(const struct finished *f, const struct task *t, double share,
		     struct finished_choice *out);

/*
 * A size that a task which has run the target, with @mine as its probes, should run as well, so that the next ones can
 * be foretold by it: it costs no more than @share of the whole.  First those that finished tasks have, the largest
 * ones, until enough tasks have them; then a larger one if this task can pay for it.  False: there is none.
 */
bool finished_want(const struct finished *f, const struct task *t, const struct probes *mine,
		   const struct next_plan *plan, double *x);

/* Judge by a run at choice->x among @probes. */
int finished_judge(struct judgement *j, const struct task *t, const struct probes *probes,
		   const struct finished *f, const struct finished_choice *choice, struct err *err);

#endif
