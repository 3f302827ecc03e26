/* SPDX-License-Identifier: MIT */
/*
 * Models of all rows but those of one group, for each group: what is said of a
 * group's rows comes from a model that never saw them.
 */
#ifndef PERSEUS_ENERGY_FOLDS_H
#define PERSEUS_ENERGY_FOLDS_H

#include "analyzer/energy/data/cells.h"
#include "analyzer/energy/fit.h"

/* What is fitted, and how. */
struct energy_plan {
	enum energy_method method;
	uint64_t use;   /* events that may be used */
	size_t largest; /* best subset of so many; 0: all.  The scaled design takes all */
};

/* Rows of one frequency, or of all by the scaled design. */
struct energy_slice {
	enum energy_design design;
	double mhz; /* of ENERGY_PLAIN */
};

enum energy_grouping {
	ENERGY_BY_PROGRAM,
	ENERGY_BY_FAMILY,
	ENERGY_BY_CORES,
	ENERGY_BY_GIVEN,
	ENERGY_GROUPINGS
};

/* "program", ... */
const char *energy_grouping_name(enum energy_grouping by);

/* The groups of a grouping by cell; ENERGY_NO_GROUP: of none, never tested. */
#define ENERGY_NO_GROUP UINT32_MAX
struct energy_groups {
	enum energy_grouping by;
	uint32_t n;
	uint32_t *of; /* by cell */
};

/*
 * Group the cells; n is below 2 (1 for given) where that is no cross-validation.
 * @test: programs that are tested, ENERGY_BY_GIVEN; NULL: none.
 */
struct energy_groups energy_groups_make(const struct energy_cells *c, const struct energy_table *t,
					enum energy_grouping by, const struct energy_names *test);
void energy_groups_release(struct energy_groups *g);

/* The normal form of the cells of @slice outside of group @without of @g (NULL: of all). */
void energy_slice_normal(const struct energy_cells *c, const struct energy_slice *slice,
			 const struct energy_groups *g, uint32_t without, struct energy_normal *out);

/* Fit by @plan: choose the subset, if one is asked for, and the weights.  *set: what was used. */
int energy_plan_fit(const struct energy_plan *plan, const struct energy_slice *slice,
		    const struct energy_normal *normal, struct energy_weights *out, uint64_t *set,
		    struct err *err);

#endif
