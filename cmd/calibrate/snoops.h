/* SPDX-License-Identifier: MIT */
/*
 * The benchmark of Gracioli and Froehlich (examples/snoops), by the software directory: how many lines two
 * threads take from each other on one set of arrays, on two, and one after the other.
 */
#ifndef PERSEUS_CMD_CALIBRATE_SNOOPS_H
#define PERSEUS_CMD_CALIBRATE_SNOOPS_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/err.h"
#include "lib/vec.h"

enum snoops_version { SNOOPS_SEQUENTIAL, SNOOPS_PARALLEL, SNOOPS_BEST, SNOOPS_VERSIONS };

/* Of one size: what the loops wrote, and what they took, by version. */
struct snoops_row {
	double kb, writes;
	double invalidations[SNOOPS_VERSIONS];
};
struct snoops_rows VEC(struct snoops_row);

/*
 * Build it with probes, record it, and add it up; @quick: one size, few repetitions.  -ENOTSUP: there is no
 * plugin or no gcc here, or the program fails.
 */
int snoops_measure(struct snoops_rows *rows, bool quick, struct err *err);

/* The file of that; -EINVAL: it is none. */
int snoops_save(const struct snoops_rows *rows, const char *path, struct err *err);
int snoops_load(struct snoops_rows *rows, const char *path, struct err *err);

/* Print it beside what the paper says. */
void snoops_print(FILE *out, const struct snoops_rows *rows);

#endif
