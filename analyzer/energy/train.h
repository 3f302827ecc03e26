/* SPDX-License-Identifier: MIT */
/* A table of counts and watts to energy.yaml. */
#ifndef PERSEUS_ENERGY_TRAIN_H
#define PERSEUS_ENERGY_TRAIN_H

#include "analyzer/energy/fit.h"
#include "analyzer/energy/data/table.h"
#include "yaml/energy.h"

struct energy_options {
	struct energy_columns columns;
	enum energy_method method;
	size_t largest; /* best subset of so many events, 0: all */
	const struct energy_names
		*test; /* programs that are tested and not trained on, for one more error; NULL */
};

/*
 * Fit the table at @path: a model for each frequency and, where voltages are
 * there, one for all; errors are of rows whose group took no part.  Fails as
 * energy_cells_read(), and with -ENODATA for one program only or fewer rows than
 * the models need, -EDOM.
 */
int energy_train(struct energy *out, const char *path, const struct energy_options *o, struct err *err);

/*
 * Hold @e against a table of other rows: the errors of all of them, and of those
 * that are no extrapolations.
 */
struct energy_check {
	struct energy_error all, inside; /* inside: of the rows that are not extrapolated */
	uint64_t rows, extrapolated;
	uint64_t held; /* rows whose interval holds the measured power, or that are marked as extrapolated */
	uint64_t within;                         /* of those that are not extrapolated: the interval holds */
	uint64_t by_term[ENERGY_MAX_EVENTS + 2]; /* extrapolated for this term */
	uint64_t by_distance, by_frequency;
};

int energy_check_table(struct energy_check *out, const struct energy *e, const char *path,
		       const struct energy_columns *columns, struct err *err);
void energy_check_release(struct energy_check *c);

#endif
