/* SPDX-License-Identifier: MIT */
/*
 * The sums of a table, apart by program, frequency and cores in use: what every
 * model, every fold of a cross-validation and every resampling is made of.
 * Memory is by the number of cells, not of rows.
 */
#ifndef PERSEUS_ENERGY_CELLS_H
#define PERSEUS_ENERGY_CELLS_H

#include "analyzer/energy/data/gram.h"

struct energy_cell {
	uint32_t program;
	double mhz, cores;
	uint64_t rows, runs;
	bool aside;                      /* trains and tests nothing */
	double seconds;                  /* sum */
	double enabled, running;         /* likewise */
	double count[ENERGY_MAX_EVENTS]; /* sum of what was counted */
	struct energy_gram plain, scaled;
};

struct energy_frequency {
	double mhz;
	struct energy_scaling scaling; /* of the plain design */
	double low[ENERGY_MAX_EVENTS], high[ENERGY_MAX_EVENTS];
};

struct energy_cells {
	size_t events;
	uint64_t rows;
	bool can_scale; /* voltages and more than one frequency: the scaled design is there */
	struct VEC(struct energy_cell) cell;
	struct VEC(struct energy_frequency) frequency; /* ascending */
	struct energy_scaling scaling;                 /* of the scaled design */
	double low[ENERGY_MAX_TERMS], high[ENERGY_MAX_TERMS];
};

/*
 * Read @t twice.  Fails as energy_table_next(), and with -EINVAL where a power
 * cannot be in the unit it is said to be in (see energy_columns.power_unit),
 * -E2BIG for more cells than fit into memory.
 */
int energy_cells_read(struct energy_cells *c, struct energy_table *t, bool unit_given, struct err *err);
void energy_cells_release(struct energy_cells *c);

/* The cell of @row, which is there. */
size_t energy_cells_find(const struct energy_cells *c, const struct energy_row *row);

/* The index of the frequency of @row. */
size_t energy_frequency_find(const struct energy_cells *c, double mhz);

#endif
