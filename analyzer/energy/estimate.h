/* SPDX-License-Identifier: MIT */
/* What energy.yaml says of a row of counts, and how far that may be trusted. */
#ifndef PERSEUS_ENERGY_ESTIMATE_H
#define PERSEUS_ENERGY_ESTIMATE_H

#include "analyzer/energy/data/gram.h"
#include "yaml/energy.h"

/* How far beyond the range of training, in parts of that range, an event may be. */
#define ENERGY_MARGIN 0.1

struct energy_estimate {
	double watts, low, high; /* never below 0 */
	bool extrapolated;       /* outside of what was trained on: the interval does not hold */
	double distance;         /* from the training rows; see struct energy_model */
	size_t term;             /* the one that is farthest outside of its range, SIZE_MAX: none is */
	bool other_frequency;    /* no model of this frequency: the nearest one */
	bool untested;           /* the model has no interval: nothing is claimed */
};

/*
 * How far @z is from the rows of training: the root of the mean square of the
 * terms, after what they have in common is taken out.
 */
double energy_distance(const struct energy_model *m, const double *z);

/* The model for @mhz: of that step, of all steps if @volt is known, or the nearest one. */
const struct energy_model *energy_model_for(const struct energy *e, double mhz, double volt, bool *exact);

/* Estimate @row, whose x[] has the used events of @e in their order. */
struct energy_estimate energy_estimate_row(const struct energy *e, const struct energy_row *row);

/*
 * Fill in the region of training of @m from @normal and the ranges @low and @high
 * of its terms: mean, sd, low, high and precision.
 */
void energy_region_set(struct energy_model *m, const struct energy_normal *normal, const double *low,
		       const double *high);

/* Free what energy_region_set() made. */
void energy_region_release(struct energy_model *m);

#endif
