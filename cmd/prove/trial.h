/* SPDX-License-Identifier: MIT */
/*
 * A paired experiment: programs run in rounds, each once a round, in random
 * order, after a round to warm up.  The number of rounds is fixed before, or
 * somebody says after each whether it is enough.
 */
#ifndef PERSEUS_CMD_PROVE_TRIAL_H
#define PERSEUS_CMD_PROVE_TRIAL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/hash.h"
#include "platform/base/pace.h"

#define TRIAL_SIDES 3 /* A, B, and perhaps one more to compare with */

/* One of the programs. */
struct trial_side {
	const char *name; /* as typed */
	char path[PATH_MAX];
	char **argv;             /* NULL-terminated, argv[0] = name */
	double *seconds;         /* of each round, wall clock */
	double *instructions;    /* of each round; NULL: not counted */
	char output[SHA256_HEX]; /* of the first run's stdout and status; "" not run */
	int status;
	bool steady; /* all its runs gave the same output and status */
	bool late;   /* one was ended by the limit of time */
};

struct trial {
	struct trial_side side[TRIAL_SIDES];
	unsigned n_sides;
	unsigned rounds; /* planned */
	unsigned done;   /* completed */
	uint64_t seed;
	bool compare;      /* stop after the warm-up if outputs differ */
	uint64_t limit_ns; /* of one run; 0: none */
	bool mirrored;   /* rounds in twos, A B B A or B A A B by a coin; else each in an order of its own */
	bool vary_stack; /* an environment of another length in each round: it moves the stack */
	bool (*enough)(const struct trial *t, void *arg); /* asked after each round; NULL: run all */
	void *arg;
	int received;     /* the signal that stopped it, or 0 */
	double foreign;   /* share of the machine that others used meanwhile, 0..1 */
	double stolen;    /* share that the host took */
	struct pace pace; /* how fast the cores were, before each round; no looks: not known */
};

/*
 * Run the experiment; side[].name and argv are set.  A signal ends it early
 * with done < rounds; so do outputs that differ or a status that is not 0 in
 * the warm-up, if they are compared.  Fails if a program cannot be found or started.
 */
int trial_run(struct trial *t, struct err *err);

/* The ratios side 1 / side 0 of the completed rounds in twos: the mean of two logarithms each, done / 2 of them. */
void trial_blocks(const struct trial *t, double *block);

/* Free the measured values. */
void trial_release(struct trial *t);

#endif
