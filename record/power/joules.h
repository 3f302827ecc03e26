/* SPDX-License-Identifier: MIT */
/*
 * joules.yaml of a run: what it drew, by which meter, and how sure that is; and
 * beside it what the program did, in windows of equal length.
 */
#ifndef PERSEUS_RECORD_POWER_JOULES_H
#define PERSEUS_RECORD_POWER_JOULES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"

#define JOULES_VERSION 1
#define JOULES_FILE    "joules.yaml"
#define JOULES_WINDOWS 4096 /* at most; then two become one */

/* How the time of a meter was tied to that of the run. */
enum joules_alignment {
	JOULES_SAME_CLOCK, /* read by the recorder itself */
	JOULES_TRIGGER,    /* two edges of a trigger */
	JOULES_EDGE,       /* one edge; the other was lost */
	JOULES_CORRELATED, /* by what the program did */
	JOULES_ALIGNMENTS
};

/* "same-clock", "trigger", ... */
extern const char *const joules_alignments[];

struct joules {
	char *source;    /* "powercap package-0, package-1", "meter FILE"; NULL: not measured, */
	char *reason;    /* ... for this reason, */
	char *remedy;    /* ... and what would help; may be NULL */
	double started;  /* when the run began, seconds since 1970 */
	double raw;      /* likewise, of CLOCK_MONOTONIC_RAW, as records have it */
	double seconds;  /* ... and how long it took */
	double joules;   /* in it */
	double error;    /* what the figure may be off by, a part of it: steps, gaps, alignment */
	double step;     /* smallest difference that the source shows, J; 0: not known */
	double interval; /* between two readings, s */
	uint64_t readings;
	enum joules_alignment alignment;
	double shift;                     /* s that were added to the meter's time */
	double drift;                     /* ... and the part of it */
	double alignment_error;           /* s */
	uint64_t missing, doubled, wraps; /* readings; wraps: of a counter */
	double idle_watts;                /* before the program started; 0: not known */
	double window;                    /* s */
	double *power;                    /* W in each window; the last one may be shorter */
	size_t n_power;
	double *busy; /* CPU seconds of the program in each window */
	size_t n_busy;
	double cpu_seconds;                     /* of the program and what it waited for */
	double machine_seconds;                 /* CPU seconds of all programs meanwhile, 0: not known */
	uint64_t page_faults, context_switches; /* of the program and what it waited for */
	char **notes;
	size_t n_notes;
};

int joules_load(struct joules *j, const char *path, struct err *err);
int joules_parse(struct joules *j, const char *text, size_t len, const char *name, struct err *err);
int joules_save(const struct joules *j, const char *path, struct err *err);
void joules_text(const struct joules *j, struct strbuf *out);
void joules_release(struct joules *j);

/* Nothing was measured, and @message (a reason; a remedy in its second line) says why. */
void joules_absent(struct joules *j, const char *message);

/* Append a note. */
void joules_note(struct joules *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
