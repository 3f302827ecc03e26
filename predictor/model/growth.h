/* SPDX-License-Identifier: MIT */
/*
 * Models of growth: a figure above 0 as a sum of terms n^a log2^b n, of one or more
 * parameters, from measured runs of several sizes.  The algorithm: predictor/README.md.
 */
#ifndef PERSEUS_PREDICTOR_MODEL_GROWTH_H
#define PERSEUS_PREDICTOR_MODEL_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

#define GROWTH_PARAMS 4  /* parameters at most */
#define GROWTH_SIZES  48 /* distinct sizes at most */
#define GROWTH_TERMS  2  /* of a model, beside a constant */
#define GROWTH_LEAST  4  /* distinct sizes that a model needs */

struct growth_run {
	double x[GROWTH_PARAMS]; /* parameters, 1 and more */
	double y;                /* the figure, above 0 */
};

/* All runs of one size. */
struct growth_size {
	double x[GROWTH_PARAMS];
	double y;        /* geometric mean */
	double variance; /* of ln y, of one run */
	size_t runs;
};

/* What was measured, sizes by rising figure. */
struct growth_sizes {
	size_t params, n;
	struct growth_size at[GROWTH_SIZES];
	size_t spare; /* runs beyond the first of each size: degrees of freedom of the noise */
	double noise; /* pooled standard deviation of ln y of runs of one size, 0 if @spare is 0 */
};

/*
 * Group @n runs by size.  -EINVAL: a parameter below 1, or a figure that is not above 0 or not
 * finite; -E2BIG: more sizes than GROWTH_SIZES.
 */
int growth_sizes_make(struct growth_sizes *s, size_t params, const struct growth_run *runs, size_t n,
		      struct err *err);

/* Were sizes run more than once, with equal figures, as counts have them? */
bool growth_exact(const struct growth_sizes *s);

/* ... or may be, for no size was run twice? */
bool growth_may_be_exact(const struct growth_sizes *s);

/* A figure that falls as parameter @param grows, from one size to another. */
struct growth_fall {
	size_t param;
	struct growth_size from, to;
};

/*
 * Does the figure fall, beyond its noise and as a trend: along all sizes, or along 5 or more of the smallest
 * or largest ones, 4 where it falls by a third, or by half in one step that is unlike all others?  Terms n^a have no exponent below 0, so there is no model then.
 */
bool growth_falls(const struct growth_sizes *s, struct growth_fall *out);

/*
 * Does the figure of one parameter show no growth beyond its spread, with @target behind all sizes?  @hidden: what
 * it may be there all the same, by growth that hides in the spread.
 */
bool growth_flat(const struct growth_sizes *s, const double *target, double *hidden);

/* One term: the product over the parameters of x^a log2^b x. */
struct growth_term {
	double a[GROWTH_PARAMS];
	int b[GROWTH_PARAMS];
};

/* The value of a term of @params parameters. */
double growth_term_value(const struct growth_term *t, size_t params, const double *x);

/* A fitted model. */
struct growth_model {
	size_t terms; /* 0 to GROWTH_TERMS */
	struct growth_term term[GROWTH_TERMS];
	bool constant; /* coefficient[terms] is one */
	size_t n;      /* coefficients */
	double coefficient[GROWTH_TERMS + 1];
	double covariance[GROWTH_TERMS + 1][GROWTH_TERMS + 1];
	double scatter,
		drift; /* how far the task may be from it: of a size, and as the figure grows e times */
	double weight; /* of all models 1 */
};

/* All models that explain the sizes about equally well, the best one first. */
struct growth_fit {
	size_t params;
	struct VEC(struct growth_model) models;
	double noise;       /* variance of ln y of one more run of a size */
	double last;        /* ln y of the largest size */
	double turn;        /* standard deviation of an exponent behind it, at most */
	double two_regimes; /* weight of the models with a step, which are not in @models */
	size_t step;        /* ... the best of these begins its second regime at this size */
};

enum growth_space {
	GROWTH_ANY,    /* the whole search space */
	GROWTH_LINEAR, /* time by a count: the exponents 3/4, 1 and 5/4 of one parameter */
};

/*
 * Fit all models to @s and weigh them for a prediction at @target.  -ENODATA: fewer sizes than
 * GROWTH_LEAST, or than 2 for each parameter and 2 more; -EDOM: no model of the space is
 * possible (the figure falls with the size).
 */
int growth_fit(struct growth_fit *f, const struct growth_sizes *s, const double *target,
	       enum growth_space space, struct err *err);
void growth_fit_release(struct growth_fit *f);

/* The value of a model, and the standard deviation of its logarithm (without the noise of a run). */
double growth_model_value(const struct growth_model *m, size_t params, const double *x, double *sd);

/*
 * How the models see @x and @target together, in logarithms: their variances and covariance, the figure
 * at @x, and what a size or run at @x has for itself, which tells nothing.
 */
struct growth_view {
	double at_x, at_target, covariance, middle, own;
};

struct growth_view growth_view(const struct growth_fit *f, const double *x, const double *target);

/* What the models say together. */
struct growth_estimate {
	double low, middle, high; /* 5, 50 and 95 % */
	double best;              /* what the best model says alone; of finished tasks: history_estimate() */
	double sd;                /* of the logarithm, of all models */
};

/* What one more run at @x takes; @extra: variance of its logarithm that is not in the models. */
struct growth_estimate growth_estimate(const struct growth_fit *f, const double *x, double extra);

/* The probability of a figure of at most @y at @x. */
double growth_below(const struct growth_fit *f, const double *x, double extra, double y);

/* Append the model in words: "1.2e-09 n^2 log n + 0.003"; @names of the parameters. */
void growth_words(const struct growth_model *m, size_t params, const char *const *names, struct strbuf *out);

/* The exponent of growth at @x as the models have it: d ln f / d ln x of parameter @j. */
double growth_slope(const struct growth_fit *f, const double *x, size_t j);

#endif
