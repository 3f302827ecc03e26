/* SPDX-License-Identifier: MIT */
/* perseus denormals --what-if: a program with and without flush-to-zero, in turns. */
#ifndef PERSEUS_CMD_DENORMALS_ATTEMPT_H
#define PERSEUS_CMD_DENORMALS_ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/base/option.h"
#include "lib/compare/numbers.h"
#include "lib/compare/paired.h"
#include "lib/err.h"
#include "lib/strbuf.h"
#include "perseus/flush.h"

#define ATTEMPT_PAIRS 10 /* where it is not said how many */
#define ATTEMPT_INIT                                                                                         \
	{                                                                                                    \
		.pairs = ATTEMPT_PAIRS, .seed = 1                                                            \
	}

struct attempt_opts {
	const char *function; /* NULL: the whole program */
	char **program;       /* its argv */
	uint64_t pairs, seed;
	const char *compare;        /* a command that is given two files; NULL: none */
	struct option_values files; /* that the program writes, beside standard output */
	bool json;
};

/* What a program did with and without. */
struct attempt_side {
	int status; /* as of a shell, of the first run */
	bool steady;
	double *seconds; /* of each pair */
	struct strbuf output;
	struct strbuf *files; /* as o->files */
	char hash[65];        /* of output and status */
	uint64_t births, stores, results, deaths;
	struct prs_flush page; /* after its last run */
};

struct attempt {
	struct attempt_side side[2]; /* as it is, flushed */
	bool counted, births_counted;
	uint64_t done; /* pairs */
	struct paired_interval time;
	struct numbers_change output, *files;
	int compared;       /* status of o->compare */
	struct strbuf said; /* by it */
	int received;       /* a signal that ended the experiment, 0 */
};

/* "ftz", "ftz:FUNCTION": 0, or CMD_USAGE with the message said. */
int attempt_parse(const struct cmd *cmd, const char *value, struct attempt_opts *o);

/* Run it all.  Fails if the program or the library is not there, or cannot be changed. */
int attempt_run(struct attempt *w, const struct attempt_opts *o, struct err *err);
void attempt_release(struct attempt *w, const struct attempt_opts *o);

/* What keeps the result from being believed, NULL: nothing. */
const char *attempt_doubt(const struct attempt *w, const struct attempt_opts *o);

/* For people, or as JSON, schema 1; appended to @out. */
void attempt_text(const struct attempt *w, const struct attempt_opts *o, struct strbuf *out);
void attempt_json(const struct attempt *w, const struct attempt_opts *o, struct strbuf *out);

#endif
