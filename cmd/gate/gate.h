/* SPDX-License-Identifier: MIT */
/* What the parts of `perseus gate` share: options, finding, output. */
#ifndef PERSEUS_CMD_GATE_GATE_H
#define PERSEUS_CMD_GATE_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/prove/machine.h"
#include "cmd/prove/trial.h"
#include "lib/compare/sequential.h"
#include "lib/err.h"
#include "lib/strbuf.h"

struct gate_opts {
	const char *base;     /* a program; NULL: another way */
	const char *revision; /* of git, with the command that builds it */
	const char *build;    /* run by sh in its tree */
	const char *baseline; /* a file to compare with */
	const char *save;     /* a file to write or add to */
	const char *head;     /* the program */
	char **args;          /* of it, NULL-terminated, args[0] = head */
	double limit;         /* percent */
	uint64_t max_pairs, seed, limit_s;
	double max_load, max_uneven; /* percent */
	bool json, ignore_output;
	const char *junit, *markdown;
	const char *sarif, *sharing_base, *sharing; /* a file, and the runs whose findings are compared */
	const char *platform;                       /* prices of these; NULL: platform.yaml, if it is here */
};

/* What was measured, and what it says. */
struct gate_finding {
	enum sequential_verdict verdict;
	struct sequential_result result; /* before the state of the machine is looked at */
	const char *base, *head;         /* as people call them */
	double limit;                    /* ratio - 1 */
	unsigned pairs, max_pairs;
	bool unpaired;          /* runs, of head alone */
	double base_s, head_s;  /* medians */
	double foreign, stolen; /* shares of the machine */
	struct pace_spread pace;
	struct machine machine;       /* before the first run */
	size_t new_findings;          /* with o->sarif */
	struct strbuf sharing_doubts; /* why they may be wrong: a line each; else empty */
	int mismatch;      /* exit status if outputs say that there is nothing to compare, else 0 */
	struct strbuf why; /* why it cannot tell, and what to do: a line each; else empty */
};

/* Run base and head in turns until it is decided; fails as trial_run(). */
int gate_measure(struct gate_finding *f, const struct gate_opts *o, const char *base, struct err *err);

/* The same against the program of o->revision, which o->build makes; fails also as gate_tree_make(). */
int gate_measure_revision(struct gate_finding *f, const struct gate_opts *o, struct err *err);

/*
 * Add to f->why what was wrong with the machine: where it was not itself, no
 * figure is a pass, and none an accusation.
 */
void gate_doubt(struct gate_finding *f, const struct gate_opts *o);

/*
 * Write the findings of sharing run o->sharing that cost, or may, and that o->sharing_base has not, or has far
 * cheaper, to o->sarif, and count them.  Fails as run_open(), conflicts_judge() and fs_write().
 */
int gate_findings(struct gate_finding *f, const struct gate_opts *o, struct err *err);

/* "ok", "slower", "cannot tell", "mismatch". */
const char *gate_word(const struct gate_finding *f);

/* The exit status. */
int gate_status(const struct gate_finding *f);

/* The verdict in one sentence, without a newline. */
void gate_sentence(const struct gate_finding *f, struct strbuf *out);

/* The forms; all append. */
void gate_text(const struct gate_finding *f, const struct gate_opts *o, struct strbuf *out);
void gate_json(const struct gate_finding *f, const struct gate_opts *o, struct strbuf *out);
void gate_junit(const struct gate_finding *f, const struct gate_opts *o, struct strbuf *out);
void gate_markdown(const struct gate_finding *f, const struct gate_opts *o, struct strbuf *out);

void gate_release(struct gate_finding *f);

#endif
