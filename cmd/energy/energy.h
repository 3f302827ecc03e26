/* SPDX-License-Identifier: MIT */
/* The parts of `perseus energy`. */
#ifndef PERSEUS_CMD_ENERGY_H
#define PERSEUS_CMD_ENERGY_H

#include <stdio.h>

#include "analyzer/energy/train.h"
#include "cmd/base/cmd.h"
#include "recorder/train/train.h"

/* What was asked for. */
struct energy_request {
	struct energy_options fit; /* .columns also for check */
	struct energy_names test;
	const char *output; /* NULL: the default */
	double cores;       /* of watts: in use in training */
	double least;       /* percent of rows, below 0: no gate */
	bool json, verbose;
	struct train_options train; /* without its output and events */
	bool train_given;           /* an option of train was */
};

/* The two subcommands; each gives an exit status, failures in the name of @cmd. */
int energy_run_fit(const struct cmd *cmd, const struct energy_request *r, const char *table);
int energy_run_check(const struct cmd *cmd, const struct energy_request *r, const char *model,
		     const char *table);

/* Fill the watts of the platform in the file @platform, into r->output. */
int energy_run_watts(const struct cmd *cmd, const struct energy_request *r, const char *model,
		     const char *platform);

/* Run training programs. */
int energy_run_train(const struct cmd *cmd, const struct energy_request *r);

/* What was fitted, for people (to @out) and for programs. */
void energy_print(FILE *out, const struct energy *e, bool verbose);
void energy_print_json(const struct energy *e);
void energy_print_check(const struct energy *e, const struct energy_check *c);
void energy_print_check_json(const struct energy *e, const struct energy_check *c);

#endif
