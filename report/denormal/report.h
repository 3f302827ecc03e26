/* SPDX-License-Identifier: MIT */
/*
 * What a run of purpose "denormal" tells: where denormals are born, which lines and arrays
 * they go through, what they cost.  Made once, printed in several forms.
 */
#ifndef PERSEUS_REPORT_DENORMAL_REPORT_H
#define PERSEUS_REPORT_DENORMAL_REPORT_H

#include "lib/strbuf.h"
#include "record/denormal/run.h"
#include "yaml/platform.h"

/* Denormal values by what was done with them. */
struct denormal_counts {
	uint64_t loads, stores, results; /* results of arithmetic, conversions, calls */
	uint64_t copies;                 /* moved as bytes or integers */
	uint64_t births, deaths;
	double low_ps, high_ps; /* what they cost, if it is known */
};

/* All operations of one line of a function. */
struct denormal_line {
	const char *file, *function; /* of the first site; function is an assembler name */
	uint32_t line;
	struct denormal_counts n;
	bool wrapped; /* lower bounds */
};

/* What an array is to the denormals, by loads and stores, and moves in and out of it. */
enum denormal_part {
	DENORMAL_SOURCE,  /* loaded from ten times as often as stored to, or more */
	DENORMAL_PASSES,  /* hands them on, or holds values between two operations */
	DENORMAL_SINK,    /* stored to ten times as often as loaded from, or more */
	DENORMAL_BROUGHT, /* nothing that is counted brought in any of those that were loaded */
	DENORMAL_MOVED,   /* all that were brought in came as bytes or integers */
	DENORMAL_UNSEEN,  /* loads or stores of its name, which lie nowhere, might make it something else */
	DENORMAL_PARTS,
};

struct denormal_array {
	size_t object; /* in the run */
	char *called;  /* "grid" */
	char *name;    /* the same, or "grid #2" where several are called so */
	char *made;    /* "alloc_grid(), main()"; NULL: not on the heap, or not known */
	enum denormal_part part;
	uint64_t loads, stores;
	uint64_t in, out; /* moved as bytes or integers */
};

/*
 * A run may take so many times as long with counters, and on a busy machine; without them its time is
 * not known, so a cost is small only if it is small beside that part of the run's.
 */
#define DENORMAL_SLOWER 20.0

/* May a zero be believed? */
enum denormal_trust {
	DENORMAL_GOOD,
	DENORMAL_LIMITED, /* what is counted is right, something is missing */
	DENORMAL_FLUSHED, /* FTZ or DAZ was on: a zero says nothing */
};

struct denormal_report {
	const struct denormal_run *run;
	const struct platform *prices; /* NULL: not known */
	struct denormal_counts all;
	struct VEC(struct denormal_line) lines;    /* those with denormals, most expensive or busiest first */
	struct VEC(struct denormal_line) births;   /* lines with births, most births first */
	struct VEC(struct denormal_array) arrays;  /* with denormals, busiest first */
	struct VEC(struct denormal_line) unplaced; /* loads and stores that lie in none of them, most first */
	enum denormal_trust trust;
	struct VEC(char *) doubts; /* one sentence each */
	bool priced;               /* the prices have denormals */
	const char *flush_in; /* function in which flush-to-zero may be tried; NULL: none, or nobody asked */
	char *no_flush;       /* ... why in none of them, a sentence; NULL: nobody asked */
	uint64_t unpriced;    /* denormal results and operands of operations that have no price */
};

/* Of @run, which must outlive it, as must @prices (may be NULL). */
void denormal_report_make(struct denormal_report *r, const struct denormal_run *run,
			  const struct platform *prices);
void denormal_report_release(struct denormal_report *r);

/*
 * The functions where flush-to-zero would act, the best first: @i from 0; NULL: no more.  Who can tell whether it
 * can be tried in one sets flush_in, or no_flush, which the report then owns.
 */
const char *denormal_report_function(const struct denormal_report *r, size_t i);

/* Was anything denormal? */
bool denormal_report_any(const struct denormal_report *r);

/* The lines at the end of `perseus record`; what `perseus denormals` prints; appended to @out. */
void denormal_report_summary(const struct denormal_report *r, struct strbuf *out);
void denormal_report_text(const struct denormal_report *r, bool all, struct strbuf *out);

/* The same fields as JSON, schema 1, always all of them. */
void denormal_report_json(const struct denormal_report *r, struct strbuf *out);

/* Births, and other lines with denormals, in SARIF 2.1.0; appended to @out. */
void denormal_sarif(const struct denormal_report *r, struct strbuf *out);

/* A run with its prices, judged. */
struct denormal_case {
	struct denormal_run run;
	struct platform platform;
	bool platformed;
	struct denormal_report rep;
};

/*
 * Open the run @name and judge it at the prices of @platform, NULL: platform.yaml, if it is here.
 * Fails as denormal_run_open() and platform_find() do.
 */
int denormal_case_open(struct denormal_case *c, const char *name, const char *platform, struct err *err);
void denormal_case_close(struct denormal_case *c);

/* Does the name lead to a run that counted denormals? */
bool denormal_is_run(const char *name);

/*
 * Append to @png a picture of the arrays' maps, and to @legend what is where in
 * it.  -EIO: zlib failed.
 */
int denormal_map_png(const struct denormal_report *r, struct strbuf *png, struct strbuf *legend,
		     struct err *err);

/* "add", "load", ... of enum prs_den_kind; "float", ... of enum prs_den_type. */
const char *denormal_kind_name(uint32_t kind);
const char *denormal_type_name(uint32_t type);
const char *denormal_part_name(enum denormal_part part);

#endif
