/* SPDX-License-Identifier: MIT */
/* Every probe in a file of lines of JSON: appended to, read again. */
#ifndef PERSEUS_PREDICTOR_PROBE_LOG_H
#define PERSEUS_PREDICTOR_PROBE_LOG_H

#include <stdio.h>

#include "lib/hash.h"
#include "predictor/model/judge.h"
#include "predictor/probe/next.h"

#define PROBE_WATCHES 8

enum probe_end { PROBE_OK, PROBE_FAILED, PROBE_TIMEOUT, PROBE_SILENT, PROBE_ENDS };

/* "ok", "failed", "timeout", "silent" (it did not print its figure); NULL behind the last. */
extern const char *const probe_ends[];

/* One run of a task. */
struct probe {
	enum probe_end end;
	int status; /* of a run that failed */
	double x[GROWTH_PARAMS];
	double seconds;              /* what it took, however it ended */
	double figure;               /* that is predicted: seconds, or what it printed */
	double count;                /* modelled first; 0: there is none */
	double watch[PROBE_WATCHES]; /* NAN: not known */
};

struct probes VEC(struct probe);

/* What is measured of a task. */
struct task {
	size_t params, watches;
	char *name[GROWTH_PARAMS];
	char *figure;                            /* NULL: seconds */
	char *count;                             /* NULL: none */
	struct judge_watch watch[PROBE_WATCHES]; /* without values; the names are the task's */
	char key[SHA256_HEX];                    /* of the command and its options */
};

void task_release(struct task *t);

struct probe_log {
	const char *path;
	const struct task *task;
	FILE *to;
	struct probes probes; /* all, those that were there first */
};

/*
 * Begin the log at @path, or go on with it: -EINVAL if it is none, or of a task with another key.  A last
 * line that was cut off is taken away.  NULL as @path: nothing is kept.
 */
int probe_log_open(struct probe_log *l, const char *path, const struct task *t, struct err *err);
void probe_log_close(struct probe_log *l);

/* Append a probe and write it. */
int probe_log_add(struct probe_log *l, const struct probe *p, struct err *err);

/* Read the log at @path: the task of its head and its probes; both are released by the caller. */
int probe_log_read(const char *path, struct task *t, struct probes *probes, struct err *err);

/*
 * Runs for next_probe() and what they cost: in counts where these are modelled first, since the time of a small
 * run is that of its start.  plan->start is what one start costs, as far as probes tell.
 */
void probe_state(struct next_state *state, const struct task *t, const struct probes *probes,
		 struct next_plan *plan);
void probe_state_release(struct next_state *state);

/* Judge what was measured, for @target. */
int probe_judge(struct judgement *j, const struct task *t, const struct probes *probes, const double *target,
		struct err *err);

/* What was watched alone: a refusal, or none. */
int probe_watch(struct judgement *j, const struct task *t, const struct probes *probes, const double *target,
		struct err *err);

#endif
