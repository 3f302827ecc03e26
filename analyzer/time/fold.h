/* SPDX-License-Identifier: MIT */
/* Inside of phases_fold(): which interval is in which class, and what a class says. */
#ifndef PERSEUS_ANALYZER_TIME_FOLD_H
#define PERSEUS_ANALYZER_TIME_FOLD_H

#include "analyzer/time/phases.h"

#define NO_CLASS UINT32_MAX

/* Intervals of one run by class: interval[start[c]] .. interval[start[c + 1] - 1], ascending. */
struct members {
	uint32_t *start;
	uint32_t *interval;
};

struct fold {
	const struct intervals *runs;
	size_t n_runs;
	const struct instances *names;
	struct notes *notes;
	bool aligned;                  /* all runs show the same sequence */
	struct intervals mean;         /* first run, its work averaged if aligned */
	uint32_t **class_of;           /* [run][interval], NO_CLASS: fits none */
	struct members *members;       /* by run */
	const struct interval **first; /* of each class, in mean */
	uint32_t n_classes;
	double floor; /* cycles below which a difference is noise */
};

/* Fill in class @class from all its members; texts are new, @c owns them. */
void class_summarise(struct phase_class *c, const struct fold *f, uint32_t class);

/* The part of @instance in @iv, NULL: it is not there. */
const struct part *part_of(const struct interval *iv, uint32_t instance);

/* True if both are the same site and instance, of whatever run, or both NULL. */
bool same_call_site(const struct run_call_site *a, const struct run_call_site *b);

#endif
