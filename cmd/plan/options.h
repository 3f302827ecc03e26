/* SPDX-License-Identifier: MIT */
/* What the command line of perseus plan asks for. */
#ifndef PERSEUS_CMD_PLAN_OPTIONS_H
#define PERSEUS_CMD_PLAN_OPTIONS_H

#include "cmd/base/cmd.h"
#include "cmd/plan/ranks.h"
#include "lib/hash.h"
#include "planner/result/task.h"
#include "planner/weigh.h"

struct plan_options {
	char *const *models; /* of one program */
	uint32_t n_models;
	const char *platform;
	const char *output;
	const char *export;  /* for outside solvers, or NULL */
	const char *blocks;  /* recorded blocks, or NULL */
	const char *front;   /* where the plans of the front go, or NULL */
	const char *log;     /* convergence, or NULL */
	const char *watch;   /* the search as a page, or NULL */
	const char *layouts; /* a plan with layouts to be weighed, or NULL */
	struct weigh_options weigh;
	struct planner_options search;
	int argc; /* the command line, options first */
	char **argv;
	const struct ranks_session *session;
	char inputs[SHA256_HEX]; /* command line, model and platform */
	bool json;
	bool sensitivity; /* print the whole table */
};

/* Fill @o, whose strings are those of @argv.  Returns 0, or an exit status or CMD_HELP with the message said. */
int plan_options_parse(const struct cmd *cmd, struct plan_options *o, int argc, char **argv);

#endif
