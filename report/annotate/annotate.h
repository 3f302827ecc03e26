/* SPDX-License-Identifier: MIT */
/* A source with what a run says of each line. */
#ifndef PERSEUS_REPORT_ANNOTATE_ANNOTATE_H
#define PERSEUS_REPORT_ANNOTATE_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "report/denormal/report.h"
#include "report/time/types.h"

/* What is known of a line; zero where nothing is. */
struct annotate_line {
	uint32_t line;
	const char *function; /* that is defined here; of several the one with most time; NULL */
	double self_ns;       /* of the functions defined here, */
	double total_ns;      /* ... with the calls inside */
	uint64_t called;      /* how often they were called */
	bool about;           /* `called` or `calls` is an estimate */
	uint64_t calls;       /* made from here, */
	double calls_ns;      /* ... and how long those took, with all inside */
	uint64_t waits;       /* threads waited here so often */
	double wait_ns;
	uint64_t accesses;                /* to memory from here, of a sharing run; where they were counted */
	uint64_t transfers;               /* of lines from another thread, of a sharing run */
	uint64_t births;                  /* of denormals, of a run that counted them */
	uint64_t denormals;               /* ... results, loads and stores that were denormal */
	double cost_low_ps, cost_high_ps; /* ... and what they cost, where it is known */
};

/* Is the source the one that was compiled? */
enum annotate_match {
	ANNOTATE_ABSENT,  /* it cannot be read */
	ANNOTATE_UNKNOWN, /* nothing to know it by */
	ANNOTATE_LIKELY,  /* functions stand where the record says, and it is older than the run */
	ANNOTATE_NEWER,   /* it was written to after the run was recorded */
	ANNOTATE_OTHER,   /* functions stand elsewhere, or it has fewer lines */
};

struct annotate {
	const struct report_summary *s;
	const struct denormal_report *denormal; /* NULL: no such run was given */
	const char *file;                       /* as the record calls it */
	char *path;                             /* where it was read, NULL */
	struct annotate_line *lines;            /* ascending; only those of which something is known */
	size_t n;
	char *text;      /* of the source, NULL */
	const char **at; /* its lines, from 0 on; they end with a newline or NUL */
	size_t n_at;
	enum annotate_match match;
	size_t functions, placed; /* functions defined here, and how many stand there */
};

/*
 * The file of the run that @s sums up which is called @name: as the record calls it, or
 * the end of that.  @source: a folder below which it may lie, NULL.  -EINVAL: no file of
 * the run is called so (the message says which there are), or several are.
 */
int annotate_make(struct annotate *a, const struct report_summary *s, const char *name, const char *source,
		  struct err *err);
void annotate_release(struct annotate *a);

/* Add what @r counted in the file; @r outlives @a.  Returns how many of its lines are there. */
size_t annotate_denormals(struct annotate *a, const struct denormal_report *r);

/* What to show. */
struct annotate_view {
	uint32_t line;  /* only what is round it; 0: the file */
	bool all;       /* also stretches of which nothing is known */
	size_t columns; /* of the terminal */
};

/* Appended to @out. */
void annotate_text(const struct annotate *a, const struct annotate_view *view, struct strbuf *out);
void annotate_json(const struct annotate *a, struct strbuf *out);

#endif
