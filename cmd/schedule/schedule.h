/* SPDX-License-Identifier: MIT */
/* What the parts of `perseus schedule` share. */
#ifndef PERSEUS_CMD_SCHEDULE_SCHEDULE_H
#define PERSEUS_CMD_SCHEDULE_SCHEDULE_H

#include <limits.h>

#include "cmd/base/option.h"
#include "scheduler/search/search.h"

enum method { METHOD_AUTO, METHOD_FIFO, METHOD_HEFT, METHOD_EXACT, METHOD_GENETIC, METHOD_SEARCH, METHODS };

#define NOT_CHOSEN UINT_MAX

struct schedule_opts {
	enum method method;
	unsigned policy; /* POLICIES: all; NOT_CHOSEN: the same, by default */
	uint64_t effort, seed, tasks, nodes, timeout_s;
	double error, fail;
	const char *output, *swf, *log;
	bool json, slurm;
	char **words;
	int n_words;
};

/* `schedule simulate`: run and print. */
int schedule_simulate(const struct cmd *cmd, const struct schedule_opts *o);

/* `schedule --slurm`: run the workflow o->words[0] and print how its tasks ended. */
int schedule_slurm(const struct cmd *cmd, const struct schedule_opts *o, const struct workflow *w);

/* Print the makespan of a schedule, its @method, and how far it can be from the optimum; or that as JSON. */
void schedule_text(const struct workflow *w, const struct schedule *s, const char *method, bool proven,
		   struct strbuf *out);
void schedule_json(const struct workflow *w, const struct schedule *s, const char *method, bool proven,
		   struct strbuf *out);

#endif
