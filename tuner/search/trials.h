/* SPDX-License-Identifier: MIT */
/* What was measured so far: settings, runs in rounds, and means without the effects of rounds. */
#ifndef PERSEUS_TUNER_SEARCH_TRIALS_H
#define PERSEUS_TUNER_SEARCH_TRIALS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/vec.h"
#include "tuner/space/space.h"

/* How a trial ended. */
enum trial_end {
	TRIAL_OK,
	TRIAL_SLOW,    /* stopped when it had taken several times what the best takes */
	TRIAL_CRASH,   /* a signal ended it */
	TRIAL_FAILED,  /* a status that is not 0, or it could not be built */
	TRIAL_TIMEOUT, /* it did not end in time */
	TRIAL_WRONG,   /* another output, or the check refused it */
	TRIAL_UNMET,   /* it breaks a requirement of the caller */
	TRIAL_ENDS
};

/* "ok", "slow", "crash", "failed", "timeout", "wrong", "unmet". */
extern const char *const trial_ends[TRIAL_ENDS + 1];

struct trial_run {
	uint32_t setting; /* index of trials.settings */
	uint32_t round;
	double y; /* ln of the value */
};

struct tried {
	struct setting x;
	enum trial_end end; /* not TRIAL_OK: refused, never run again */
	bool dropped;       /* by the race */
	uint32_t n;         /* runs that count */
	double mean;        /* of ln of the value, without the effects of rounds */
	uint32_t others;    /* runs with a second figure */
	double other;       /* ... its mean */
	double other_m2;    /* ... sum of the squares of what they are off it */
};

struct trials {
	const struct space *space;
	struct VEC(struct tried) settings;
	struct VEC(struct trial_run) runs;
	uint32_t rounds;
	double sigma; /* standard deviation of a run, of ln; 0: not known yet */
	double tau;   /* ... of the effect of a round */
	double df;    /* degrees of freedom of sigma */
};

void trials_init(struct trials *t, const struct space *space);
void trials_release(struct trials *t);

/* The index of setting @x, SIZE_MAX: it was not tried. */
size_t trials_find(const struct trials *t, const struct setting *x);

/* ... which is added if it was not. */
size_t trials_index(struct trials *t, const struct setting *x);

/* Take a run of setting @i in @round; a @value > 0 that is the program's, or with TRIAL_SLOW where it was stopped. */
void trials_add(struct trials *t, size_t i, uint32_t round, enum trial_end end, double value);

/* ... and its second figure, above 0. */
void trials_other(struct trials *t, size_t i, double other);

/* Standard deviation of the second figure in a run, of ln; 0: it does not differ, or is not known. */
double trials_other_sigma(const struct trials *t);

/* Compute means, sigma and tau again. */
void trials_settle(struct trials *t);

/* Did setting @i crash, hang, or give a wrong answer? */
bool trials_failed(const struct trials *t, size_t i);

/* May setting @i be the best: it ran, did not fail, was not dropped. */
bool trials_good(const struct trials *t, size_t i);

#endif
