/* SPDX-License-Identifier: MIT */
/* The parts of `perseus energy`. */
#ifndef PERSEUS_CMD_ENERGY_H
#define PERSEUS_CMD_ENERGY_H

#include <stdio.h>

#include "analyzer/energy/train.h"
#include "cmd/base/cmd.h"
#include "cmd/ctl/ctl.h"
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
	const char *socket;         /* of perseusd, NULL: the usual one */
	bool no_steps;
	bool train_given; /* an option of train was */
};

/* The two subcommands; each gives an exit status, failures in the name of @cmd. */
int energy_run_fit(const struct cmd *cmd, const struct energy_request *r, const char *table);
int energy_run_check(const struct cmd *cmd, const struct energy_request *r, const char *model,
		     const char *table);

/* Fill the watts of the platform in the file @platform, into r->output. */
int energy_run_watts(const struct cmd *cmd, const struct energy_request *r, const char *model,
		     const char *platform);

/* Frequency steps that perseusd sets on all cores. */
struct energy_steps {
	const char *socket; /* NULL: the usual one */
	struct ctl_link link;
	uint32_t khz[TRAIN_MOST_STEPS];
	uint32_t policy[PRS_CTL_CPUS]; /* first cpu of each */
	size_t n_policies;
	prs_u8 cpus[PRS_CTL_CPUS / 8];
	uint32_t lease; /* 0: none */
};

/*
 * Lease all cores below @sysroot at all steps, which go into @out; @s, zero but for socket and
 * a link.client.fd of -1, must outlive it.  A
 * negative errno with the reason: there are no steps to be had.
 */
int energy_steps_open(struct energy_steps *s, const char *sysroot, struct train_steps *out, struct err *err);
void energy_steps_close(struct energy_steps *s);

/* Run training programs. */
int energy_run_train(const struct cmd *cmd, const struct energy_request *r);

/* What was fitted, for people (to @out) and for programs. */
void energy_print(FILE *out, const struct energy *e, bool verbose);
void energy_print_json(const struct energy *e);
void energy_print_check(const struct energy *e, const struct energy_check *c);
void energy_print_check_json(const struct energy *e, const struct energy_check *c);

#endif
