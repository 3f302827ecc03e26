/* SPDX-License-Identifier: MIT */
/*
 * What finished tasks with other inputs say of the next one: what the whole took against what a small
 * run of it took, a line in logarithms.  The algorithm: predictor/README.md.
 */
#ifndef PERSEUS_PREDICTOR_MODEL_HISTORY_H
#define PERSEUS_PREDICTOR_MODEL_HISTORY_H

#include "predictor/model/growth.h"

#define HISTORY_LEAST 5 /* finished tasks that a line needs */

/* One finished task: the figure of its small run and that of the whole, both above 0. */
struct history_row {
	double probe, target;
};

/* ln target = middle + slope (ln probe - mean) */
struct history_line {
	size_t n;
	double slope, middle, mean;
	double sd;          /* of ln target about the line */
	double squares;     /* of ln probe about its mean, with what is believed of the slope beforehand */
	double foreseen;    /* root mean square of the error at each task, by a line of all others */
	double least, most; /* ln probe */
};

/* -ENODATA: fewer rows than HISTORY_LEAST. */
int history_fit(struct history_line *l, const struct history_row *rows, size_t n);

/*
 * What the whole takes after a small run that took @probe: 5, 50 and 95 %.  `best' is the value whose relative error
 * is the least that can be expected: above the median a figure can be off by any factor, below by no more than all.
 */
struct growth_estimate history_estimate(const struct history_line *l, double probe);

/* Is a small run that took @probe like those of the line, or at most half their spread outside? */
bool history_holds(const struct history_line *l, double probe);

#endif
