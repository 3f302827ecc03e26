/* SPDX-License-Identifier: MIT */
/* What the parts of `perseus predict` share: options, probes of a task, output. */
#ifndef PERSEUS_CMD_PREDICT_PREDICT_H
#define PERSEUS_CMD_PREDICT_PREDICT_H

#include "cmd/base/option.h"
#include "predictor/probe/finished.h"
#include "predictor/probe/log.h"
#include "predictor/probe/next.h"
#include "recorder/train/counters.h"

struct predict_opts {
	struct option_values target, from;              /* NAME=VALUE */
	struct option_values appears, level, converged; /* NAME, NAME:LIMIT, NAME */
	const char *figure, *count, *reduce, *features, *log, *history;
	double budget; /* percent */
	uint64_t timeout_s;
	bool cpu, json, stream, run;
	char **args; /* the program, NULL-terminated; NULL: the log alone is read */
};

/* The parameters by name. */
struct predict_values {
	size_t n;
	const char *name[GROWTH_PARAMS]; /* not terminated behind its length */
	size_t len[GROWTH_PARAMS];
	double value[GROWTH_PARAMS];
};

/* Read NAME=VALUE words; CMD_USAGE is said. */
int predict_values(const struct cmd *cmd, const char *option, const struct option_values *words,
		   struct predict_values *out);

/*
 * A "{name}" in the command, --reduce or --features that --target does not name is said: CMD_USAGE.  In a word with
 * blanks, which may be code of a shell or of awk, only if it looks like a name that is meant, or if nothing names one.
 */
int predict_names(const struct cmd *cmd, const struct predict_opts *o, const struct predict_values *target);

/* The task that the options are about, with its key.  -EINVAL, -E2BIG. */
int predict_task(const struct predict_opts *o, const struct predict_values *target, struct task *t,
		 struct err *err);

/* Runs a task; what probes need. */
struct predict_lab {
	const struct predict_opts *o;
	const struct task *task;
	size_t sizes; /* of the task's parameters those that stand in the command; the rest are features */
	char path[4096];
	int null, out; /* descriptors */
	struct train_counters counters;
	bool instructions; /* are counted */
	int received;      /* the signal that ended it, or 0 */
};

int predict_lab_open(struct predict_lab *lab, const struct predict_opts *o, const struct task *t,
		     struct err *err);
void predict_lab_close(struct predict_lab *lab);

/*
 * One probe at p->x.  0 also if the task failed, which p->end says.  -EINTR: a signal came;
 * -EINVAL: --reduce or --features failed.
 */
int predict_probe(struct predict_lab *lab, struct probe *p, struct err *err);

/* The features at @x, whose first lab->sizes are set. */
int predict_features(struct predict_lab *lab, double *x, struct err *err);

/* Why a probe is of no use, in words. */
void predict_failure(const struct task *t, const struct probe *p, const struct predict_opts *o,
		     struct err *err);

struct predict_finding {
	const struct task *task;
	struct probes probes; /* that it rests on; the log's */
	const struct judgement *j;
	const double *target;
	const struct finished *history;       /* NULL: nobody asked for it */
	const struct finished_choice *choice; /* NULL: it follows from the task's own sizes */
	double took;                          /* of the target; 0: it was not run */
};

/* Print by @form: CMD_OK, or CMD_INCONCLUSIVE where there is no prediction. */
int predict_show(const struct predict_finding *f,
		 void (*form)(const struct predict_finding *, struct strbuf *));

/* Make probes, predict, print, and run the target if that is asked for: the status of the command. */
int predict_by_probes(const struct cmd *cmd, const struct predict_opts *o,
		      const struct predict_values *target, struct next_plan *plan);

/*
 * The prediction: the median, or by finished tasks the value whose relative error is the least that can be
 * expected.
 */
double predict_said(const struct predict_finding *f);

/* Figures of all probes, as a share of the predicted one, percent; NAN: nothing is predicted. */
double predict_cost(const struct predict_finding *f);

/* "4.6 %", "less than 0.1 %": in plain numbers. */
void predict_share(double percent, char *buf, size_t size);

/* The forms; all append. */
void predict_text(const struct predict_finding *f, struct strbuf *out);
void predict_json(const struct predict_finding *f, struct strbuf *out);
/* One line, for --stream. */
void predict_line(const struct predict_finding *f, struct strbuf *out);

#endif
