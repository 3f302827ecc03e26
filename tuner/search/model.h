/* SPDX-License-Identifier: MIT */
/*
 * What the settings that were tried say of the others: a Gaussian process over the
 * distances of a space.  Values are ln of what was measured, bent above the median.
 */
#ifndef PERSEUS_TUNER_SEARCH_MODEL_H
#define PERSEUS_TUNER_SEARCH_MODEL_H

#include "tuner/search/trials.h"

#define MODEL_MOST 200 /* settings that take part */

/* What is learned: logarithms of one length for each tunable, of the signal, and of what no neighbour explains. */
struct model_scales {
	bool known;
	double theta[SPACE_MAX + 2];
	size_t of; /* settings when they were learned */
};

struct model;

/*
 * Fit to what was tried (at least one setting that did not fail).  @scales are
 * where to begin, and are learned again if there are a fifth more settings than then.
 */
struct model *model_fit(const struct trials *t, struct model_scales *scales);
void model_free(struct model *m);

/* What is expected of @x, and the standard deviation of that. */
void model_predict(const struct model *m, const struct setting *x, double *mean, double *sd);

/* From now on as if @x had been measured and had met what was expected. */
void model_suppose(struct model *m, const struct setting *x);

/* The probability that @x does not fail, by its neighbours. */
double model_runs(const struct model *m, const struct setting *x);

/* Expected improvement of @x below @best. */
double model_gain(const struct model *m, const struct setting *x, double best);

/* The setting that was tried, may be the best, and is expected to be; its expectation in @mean. */
size_t model_best(const struct model *m, double *mean);

/*
 * Of each tunable, the deviation (of ln of the value) that changing it alone makes
 * among settings at random, by the model; @effect has one for each.
 */
void model_effects(const struct model *m, uint64_t seed, double *effect);

#endif
