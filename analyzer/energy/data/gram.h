/* SPDX-License-Identifier: MIT */
/*
 * Sums of products of the columns of a design, from which every linear model of any
 * part of the rows follows without reading them again.  Columns are shifted and
 * scaled first (the raw counts of a real data set have a condition of 1e10, these
 * of 36), so products do not cancel.  The last column is the power.
 */
#ifndef PERSEUS_ENERGY_GRAM_H
#define PERSEUS_ENERGY_GRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/energy/data/table.h"

/* Terms of a model beside the constant: events, and voltage terms. */
#define ENERGY_MAX_TERMS (ENERGY_MAX_EVENTS + 2)

/* The terms of a row. */
enum energy_design {
	ENERGY_PLAIN,  /* x: for rows of one frequency */
	ENERGY_SCALED, /* x V^2, V, V^2 f: for all frequencies; f in GHz */
};

/* Number of terms for @events, and their values in @z for a @row. */
size_t energy_terms(enum energy_design design, size_t events);
void energy_design_row(enum energy_design design, const struct energy_row *row, size_t events, double *z);

/* Shift and scale of each term, and of the power behind them. */
struct energy_scaling {
	size_t n; /* terms */
	double shift[ENERGY_MAX_TERMS + 1], scale[ENERGY_MAX_TERMS + 1];
};

/* Sums over rows of 1, z and z z'. */
struct energy_gram {
	size_t n;        /* columns with the power: terms + 1 */
	double rows;     /* or the sum of their weights */
	double *sum;     /* n */
	double *product; /* n x n, the lower triangle is kept */
};

struct energy_gram energy_gram_new(size_t terms);
void energy_gram_release(struct energy_gram *g);

/* Add a row whose terms are @z and whose power is @watts, with @weight. */
void energy_gram_add(struct energy_gram *g, const struct energy_scaling *s, const double *z, double watts,
		     double weight);

/* to += factor x from. */
void energy_gram_sum(struct energy_gram *to, const struct energy_gram *from, double factor);

/*
 * What fits work on: means, standard deviations and correlations of the terms
 * and the power, in the units of the data.  Terms without spread have sd 0.
 */
struct energy_normal {
	size_t n; /* terms */
	double rows;
	double mean[ENERGY_MAX_TERMS + 1], sd[ENERGY_MAX_TERMS + 1];
	double r[ENERGY_MAX_TERMS + 1][ENERGY_MAX_TERMS + 1];
};

/* The terms in @use of @from alone. */
void energy_normal_pick(const struct energy_normal *from, uint64_t use, struct energy_normal *out);

void energy_gram_normal(const struct energy_gram *g, const struct energy_scaling *s,
			struct energy_normal *out);

#endif
