/* SPDX-License-Identifier: MIT */
/* What the parts of `perseus schedule` share. */
#ifndef PERSEUS_CMD_SCHEDULE_SCHEDULE_H
#define PERSEUS_CMD_SCHEDULE_SCHEDULE_H

#include <limits.h>
#include <math.h>

#include "cmd/base/option.h"
#include "scheduler/search/search.h"

enum method { METHOD_AUTO, METHOD_FIFO, METHOD_HEFT, METHOD_EXACT, METHOD_GENETIC, METHOD_SEARCH, METHODS };

#define SCHEDULE_NOT_CHOSEN UINT_MAX
#define SCHEDULE_NOT_GIVEN  UINT64_MAX
#define SCHEDULE_LOAD_MIXED 0

/* What a call does. */
enum { SCHEDULE_MAKES = 1, SCHEDULE_CHECKS = 2, SCHEDULE_SIMULATES = 4 };

struct schedule_opts {
	enum method method;
	unsigned policy; /* POLICIES: all; SCHEDULE_NOT_CHOSEN: the same, by default */
	uint64_t effort, seed, tasks, nodes, timeout_s;
	unsigned load; /* SCHEDULE_LOAD_MIXED, or 1 + an enum mold_load */
	double error, fail, probe_cost;
	const char *output, *swf, *log;
	bool json, slurm;
	char **words;
	int n_words;
};

/* Before options are read: what stays so was not given. */
#define SCHEDULE_NOTHING_GIVEN                                                                               \
	{                                                                                                    \
		.method = METHODS, .effort = SCHEDULE_NOT_GIVEN, .timeout_s = SCHEDULE_NOT_GIVEN, .seed = 1, \
		.tasks = SCHEDULE_NOT_GIVEN, .nodes = SCHEDULE_NOT_GIVEN, .error = NAN, .fail = NAN,         \
		.probe_cost = NAN, .load = SCHEDULE_NOT_CHOSEN, .policy = SCHEDULE_NOT_CHOSEN,               \
	}

/* "mixed", "atlas", "registrations"; NULL behind the last. */
extern const char *const schedule_loads[];

/* An option that is given and that a @call does not read is said: CMD_USAGE. */
int schedule_fits(const struct cmd *cmd, const struct schedule_opts *o, unsigned call);

/* What is not given is as the help says. */
void schedule_defaults(struct schedule_opts *o);

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
