/* SPDX-License-Identifier: MIT */
/*
 * Phases: the intervals between boundaries with the work of each thread in
 * them, and classes of intervals that repeat, within a run and over runs.
 */
#ifndef PERSEUS_ANALYZER_TIME_PHASES_H
#define PERSEUS_ANALYZER_TIME_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/time/bounds.h"
#include "analyzer/time/notes.h"

/* One thread instance in one interval. */
struct part {
	uint32_t instance;
	double cycles;                    /* core cycles of CPU time */
	const struct run_call_site *site; /* after which call it entered, or NULL */
	uint32_t visit;
	bool cut;    /* it took part in the opening event */
	bool starts; /* it was created in the interval */
	bool waits;  /* blocked for nearly all of it */
};

struct interval {
	enum bound_kind kind;               /* of the opening boundary */
	char key[48];                       /* kind and site, the same in every run */
	const struct run_call_site *opener; /* or NULL */
	double wall_ns;
	struct part *parts; /* ascending instance */
	size_t n_parts;
};

struct intervals {
	const char *name; /* of the run */
	double khz;       /* that its cycles were computed with */
	struct interval *at;
	size_t n;
	size_t cap;
};

/*
 * Cut a process at its boundaries.  @khz: core frequency for CPU time to
 * cycles.  @name is kept, not copied.
 */
void intervals_make(struct intervals *iv, const struct timeline *tl, const struct bounds *b, uint64_t khz,
		    const char *name);
void intervals_release(struct intervals *iv);

/* Do both have the same boundaries in the same order? */
bool intervals_aligned(const struct intervals *a, const struct intervals *b);

/* What all repeats and runs say about one thread in one class. */
struct class_part {
	uint32_t instance;
	double cycles, sd; /* mean over runs of the mean over repeats; sd over runs */
	const struct run_call_site *site;
	uint32_t visit, every;
	bool starts, waits;
	bool other_visits; /* it enters at other visits from run to run or repeat to repeat: no site */
};

struct phase_class {
	enum bound_kind kind;
	const char *key; /* of its first interval */
	const struct run_call_site *opener;
	uint32_t repeats; /* in the first run */
	double wall_ns, wall_sd;
	struct class_part *parts; /* ascending instance */
	size_t n_parts;
	bool accepted;
	char *reason; /* why not, or NULL */
};

struct phase_classes {
	struct phase_class *at; /* in order of first occurrence */
	size_t n;
	size_t cap;
	uint32_t *of_first; /* class of each interval of the first run */
};

/*
 * Fold the intervals of @n >= 1 runs into classes.  Classes whose number of
 * repeats or work differs between runs are kept but not accepted; threads
 * whose boundary visit differs lose their entry site.  Both are said in
 * @notes.  @names: thread instance names.  Pointers into @runs are kept.
 */
void phases_fold(struct phase_classes *out, const struct intervals *runs, size_t n,
		 const struct instances *names, struct notes *notes);
void phases_release(struct phase_classes *classes);

/*
 * Evidence ids of the classes, "phase-000031", from kind, site and number among equals: the same in
 * every run of the program.  The caller frees them and the array.
 */
char **phase_names(const struct phase_classes *classes);

/* How people are told of a phase: "(opened by the barrier at a.c:5)", "(from the start of the program on)". */
void phase_opening(char *out, size_t size, enum bound_kind kind, const struct run_call_site *opener);

/* True if two amounts of work in phases whose largest is @largest are the same but for noise. */
bool same_work(double a, double b, double largest, double floor);

/* Cycles at @khz below which a difference is noise. */
double work_floor(double khz);

#endif
