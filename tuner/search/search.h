/* SPDX-License-Identifier: MIT */
/* The search for the best setting, and the verdict on what it found.  See ../README.md. */
#ifndef PERSEUS_TUNER_SEARCH_SEARCH_H
#define PERSEUS_TUNER_SEARCH_SEARCH_H

#include "lib/compare/signed-rank.h"
#include "lib/err.h"
#include "tuner/search/model.h"
#include "tuner/search/trials.h"

/* A question to the caller. */
struct tuner_ask {
	const struct setting *x;
	uint32_t round; /* trials of one round are comparable */
	double most;    /* stop it as TRIAL_SLOW at this value; 0: let it end */
};

struct tuner_answer {
	enum trial_end end;
	double value; /* > 0, smaller is better */
	double other; /* a second figure, likewise; 0: there is none */
};

/* Run a trial.  What is not 0 ends the search: a negative errno with @err set. */
typedef int tuner_measure(void *arg, const struct tuner_ask *ask, struct tuner_answer *answer,
			  struct err *err);

struct tuner_options {
	uint64_t seed;
	uint64_t trials; /* at most, without the verdict */
	double drop;     /* probability of dropping the best, 0 to 1 */
	double worth;    /* runs that shall profit; 0: go on to the last trial */
	double slow;     /* stop a trial at so many times the best; 0: never */
	bool trade;      /* look for the front of the value and the second figure, too */
	tuner_measure *measure;
	void *arg;
};

/* Why a search ended. */
enum tuner_end { TUNER_TRIALS, TUNER_GAIN, TUNER_SPACE, TUNER_BROKEN };

struct tuner {
	struct tuner_options o;
	struct trials t;
	struct model_scales scales, trade_scales;
	uint64_t weights; /* that were used to look for the front */
	enum tuner_end end;
	uint64_t done;   /* trials */
	uint32_t round;  /* the next one */
	size_t winner;   /* of t.settings; the default is 0 */
	double gain;     /* expected of the last proposal: part of a run */
	double *effects; /* of each tunable; NULL: not known */
};

/* Begin with an empty search over @space. */
void tuner_init(struct tuner *s, const struct space *space, const struct tuner_options *o);
void tuner_release(struct tuner *s);

/*
 * Search.  Fails as measure() does, and with -EINVAL if the default itself
 * fails (its end is t.settings.at[0].end, and the search is TUNER_BROKEN).
 */
int tuner_run(struct tuner *s, struct err *err);

/* Number of settings that were refused for @end, and that were dropped. */
size_t tuner_count(const struct tuner *s, enum trial_end end);
size_t tuner_dropped(const struct tuner *s);

/* Effects that are not above this are none: half of the noise, or half a percent. */
double tuner_floor(const struct tuner *s);

/* Winner against default, afresh. */
struct verdict {
	uint64_t pairs;
	struct signed_rank ratio; /* winner / default */
	bool gain;                /* the whole interval lies below 1 */
	enum trial_end end;       /* of a run that failed; else TRIAL_OK */
	double before, after;     /* medians */
};

/* Each side of the interval misses with this probability. */
#define VERDICT_MISS 0.01
/* Pairs that can say something. */
#define VERDICT_LEAST 7

/* Run the winner and the default in @pairs pairs.  Fails as measure() does. */
int tuner_verdict(struct tuner *s, uint64_t pairs, struct verdict *v, struct err *err);

#endif
