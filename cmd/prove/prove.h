/* SPDX-License-Identifier: MIT */
/* What the two halves of `perseus prove` share: options, result, printing. */
#ifndef PERSEUS_CMD_PROVE_PROVE_H
#define PERSEUS_CMD_PROVE_PROVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/base/option.h"
#include "cmd/prove/machine.h"
#include "cmd/prove/trial.h"
#include "lib/compare/paired.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

struct prove_args VEC(char *);

struct prove_opts {
	const char *a, *b, *pad;
	uint64_t pairs, seed, limit_s;
	double expect;     /* proven: the whole interval is below this */
	double max_load;   /* percent of the machine used by others */
	double max_uneven; /* percent that one core may take longer than its equal */
	bool json, ignore_output;
	struct prove_args args;
	struct option_values attached; /* files that the page names and shows */
	const char *html;              /* where the page goes, or NULL */
	char *command;                 /* as it was typed */
	char *text;                    /* owns the words of --args */
	struct machine machine;
};

/* What the measured values say. */
struct prove_finding {
	struct paired_interval time, pad;
	enum paired_verdict verdict;
	double instructions; /* median of B / median of A, 0: not counted */
	bool loaded;
	struct pace_spread pace;
	bool uneven;
	struct machine machine; /* before the first run */
};

/* The verdict in one word: proven, refuted, inconclusive. */
const char *prove_verdict(const struct prove_finding *f);

/*
 * A program that fails, or whose results differ, proves nothing: say so for
 * `perseus @verb`, a mismatch on @to.  0, or an exit status: CMD_DATA, or CMD_FINDINGS if B
 * computes something else than A.
 */
int prove_check_outputs(const char *verb, FILE *to, const struct trial *t, bool ignore);

/* The result for people, on stdout; reorders the measured times. */
void prove_print(const struct prove_finding *f, struct trial *t, const struct prove_opts *o);

/* The same fields as JSON, schema 1, with the time of every run; appended to @out. */
void prove_json(const struct prove_finding *f, const struct trial *t, const struct prove_opts *o,
		struct strbuf *out);

/* The same as a page, with the hashes of all files; fails if one of these cannot be read. */
int prove_page(const struct prove_finding *f, const struct trial *t, const struct prove_opts *o,
	       struct strbuf *out, struct err *err);

#endif
