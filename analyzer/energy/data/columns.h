/* SPDX-License-Identifier: MIT */
/* What the columns of a table are, by their names and by what the caller says. */
#ifndef PERSEUS_ENERGY_COLUMNS_H
#define PERSEUS_ENERGY_COLUMNS_H

#include "analyzer/energy/data/table.h"

/*
 * Fill in role[i] for each of the @n columns called @name, and scale and unit of
 * @t.  Names are compared without regard to case.  Fails with -EINVAL.
 */
int energy_columns_find(struct energy_table *t, char *const *name, int n,
			const struct energy_columns *columns, enum energy_role *role, struct err *err);

#endif
