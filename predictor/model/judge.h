/* SPDX-License-Identifier: MIT */
/* Is there a prediction?  Tests of the regime, and what follows if they pass. */
#ifndef PERSEUS_PREDICTOR_MODEL_JUDGE_H
#define PERSEUS_PREDICTOR_MODEL_JUDGE_H

#include "predictor/model/growth.h"

enum judge_kind {
	JUDGE_APPEARS,  /* a count that must not appear between sizes */
	JUDGE_LEVEL,    /* what grows and must not pass its limit between probes and target */
	JUDGE_CONVERGED /* 0: this run did not */
};

/* A figure beside the one that is predicted. */
struct judge_watch {
	enum judge_kind kind;
	const char *name;
	double limit;        /* of a level */
	const double *value; /* of each run; NAN: not known */
};

struct judge_question {
	size_t params;
	const char *const *names;
	const struct growth_run *runs;
	size_t n;
	const double *count; /* of each run, above 0: modelled first; NULL: there is none */
	const struct judge_watch *watch;
	size_t watches;
	double target[GROWTH_PARAMS];
};

enum judge_refusal {
	JUDGE_NONE, /* there is a prediction */
	JUDGE_FEW,
	JUDGE_APPEARED,
	JUDGE_THRESHOLD,
	JUDGE_NOT_CONVERGED,
	JUDGE_NOT_FORESEEN,
	JUDGE_TWO_REGIMES,
	JUDGE_TOO_WIDE,
	JUDGE_NO_MODEL,
	JUDGE_FALLS,
	JUDGE_FLAT,   /* growth may hide in the noise of the probes */
	JUDGE_UNLIKE, /* finished tasks: judged by them alone */
	JUDGE_REFUSALS
};

/* "none", "few-sizes", "appears", "threshold", "not-converged", "not-foreseen", "two-regimes", "too-wide", "no-model",
 * "falls", "flat", "unlike". */
extern const char *const judge_refusals[];

#define JUDGE_WIDEST 9.0 /* high end to low end: each a factor of 3 from what is said */

struct judgement {
	enum judge_refusal refusal;
	char reason[400];                /* of a refusal */
	struct growth_estimate estimate; /* also of what is refused, where there is one; else all 0 */
	struct growth_fit fit;           /* of the count if there is one, else of the figure */
	struct growth_fit by_count;      /* of the figure by the count; no models: there is none */
	double count;                    /* at the target, 0: there is none */
	size_t sizes, runs, left_out;    /* used; sizes that were too small to be used */
	double noise;                    /* of one run, relative */
	size_t spare;                    /* runs that it is known from; 0: it is not */
	double beyond;                   /* estimate over the largest probe */
};

/*
 * Judge.  0 also where there is no prediction; -EINVAL: figures that nobody can measure,
 * -E2BIG, as growth_sizes_make().
 */
int judge(struct judgement *j, const struct judge_question *q, struct err *err);

/* What was watched alone, and counts of sizes and runs: for a prediction that follows from other tasks. */
int judge_watched(struct judgement *j, const struct judge_question *q, struct err *err);

/* Refuse an estimate whose interval says nothing; @why: what lies so far apart. */
void judge_width(struct judgement *j, const char *why);

void judgement_release(struct judgement *j);

#endif
