/* SPDX-License-Identifier: MIT */
/* How far estimates are from what was measured, row by row and run by run. */
#ifndef PERSEUS_ENERGY_ERRORS_H
#define PERSEUS_ENERGY_ERRORS_H

#include "analyzer/energy/data/table.h"
#include "yaml/energy.h"

/* Values above 0 by their logarithm, from 1e-6 to 1e3: quantiles within 1 % of their value. */
#define ENERGY_BINS 2048
struct energy_histogram {
	uint64_t n, bin[ENERGY_BINS];
};

void energy_histogram_add(struct energy_histogram *h, double x);
double energy_histogram_quantile(const struct energy_histogram *h, double q);

struct energy_program_error {
	uint64_t rows;
	double sum, signed_sum;
};

/* Joules of one run, whose rows may stand anywhere. */
#define ENERGY_RUN_SLOTS 16384 /* half of them are used; rows of further runs count for no run */
struct energy_run {
	uint32_t program, run;
	double mhz, joules, estimated;
};

struct energy_errors {
	uint64_t rows;
	double sum, signed_sum;
	struct energy_histogram off; /* |error| */
	struct VEC(struct energy_program_error) program;
	struct energy_run *run; /* by a hash of what it is of; NULL until there is one */
	uint64_t runs;
};

/* Add the @estimate (W) of @row. */
void energy_errors_add(struct energy_errors *e, const struct energy_row *row, double estimate);

/* The figures.  @programs: their names. */
struct energy_error energy_errors_result(struct energy_errors *e, const char *by, uint64_t groups,
					 const struct energy_names *programs);

/*
 * What a program that took no part may be off by in 95 of 100 cases: twice the
 * spread of the mean errors of programs, widened for their number, and never
 * less than the worst of them or than 95 % of the rows were off.
 */
double energy_errors_interval(const struct energy_errors *e);

void energy_errors_release(struct energy_errors *e);

#endif
