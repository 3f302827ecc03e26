/* SPDX-License-Identifier: MIT */
/* Recordings of two builds, compared row by row; README.md beside this file says how. */
#ifndef PERSEUS_REPORT_DIFF_DIFF_H
#define PERSEUS_REPORT_DIFF_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/compare/groups.h"
#include "lib/err.h"
#include "lib/read/json-read.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

#define DIFF_NOISE     0.12 /* of the time of a function, between two recordings of one build */
#define DIFF_TRANSFERS 0.5  /* of the transfers of a finding, likewise */
#define DIFF_APART     0.01 /* between two groups of recordings */
#define DIFF_FAMILY    0.01 /* probability of a false row in the whole table */
#define DIFF_LEAST                                                                                           \
	0.25 /* of what is known of a recording: so much spread there is, however well several agree */
#define DIFF_LOAD 0.25 /* of the cores: the load before the recordings, likewise */
#define DIFF_IN_LINE                                                                                         \
	0.03 /* of the time in line for a core: by so much more, and the sides met another machine */
#define DIFF_SHARE 0.01 /* of the time: rows below on both sides are not judged */

enum diff_kind { DIFF_FUNCTION, DIFF_SITE, DIFF_FINDING };

/* One row of one recording. */
struct diff_entry {
	enum diff_kind kind;
	char *key;               /* same in all builds */
	char *other;             /* by which it may be found again if the key changed */
	const char *name, *file; /* file NULL: not known */
	const char *within;      /* of a call site: the function that calls; else NULL */
	uint32_t line;
	double value;   /* self time in ns; of findings percent of run time, or transfers/s */
	double sd;      /* of the value, by what is known of this recording alone */
	double calls;   /* of findings transfers/s */
	double share;   /* of the time, 0..1 */
	bool matters;   /* a finding that is significant, or may be */
	bool scheduled; /* it wakes or blocks threads */
	bool priced;    /* the value of a finding is a price */
	bool outside;   /* a function that the program calls, and does not define */
};

struct diff_recording {
	const char *name; /* as given */
	const char *program;
	char *command;   /* its arguments, NULL: not known */
	const char *cpu; /* NULL: not known */
	double cores;
	double load; /* before it, 1 minute; -1: not known */
	bool sharing;
	const char *incomplete; /* why, NULL: it is whole */
	double thread_ns;
	double in_line; /* share of it */
	bool cut[3];    /* by kind: rows may be missing */
	struct VEC(struct diff_entry) rows;
	struct json_value document;
};

struct diff_side {
	struct VEC(struct diff_recording) recordings;
	bool findings; /* of a page that has both, its findings instead of its times */
};

/*
 * Add recording @name to @s: a run, a JSON document, or a page.  @name stays in use.  Fails as run_open(), and
 * with -EINVAL for a document that is something else or damaged; @noise as diff_opts.
 */
int diff_add(struct diff_side *s, const char *name, double noise, struct err *err);
void diff_side_release(struct diff_side *s);

enum diff_state { DIFF_SAME, DIFF_CHANGED, DIFF_ADDED, DIFF_REMOVED, DIFF_UNKNOWN };

struct diff_figures {
	double value, calls, share; /* means over the recordings that have the row, or could have */
	size_t seen;                /* by how many recordings it was had */
	size_t known;               /* ... and how many could have told */
};

struct diff_row {
	enum diff_kind kind;
	const char *key, *name, *file, *within;
	const char *was; /* the name before, if it was renamed */
	uint32_t line;
	struct diff_figures base, new;
	struct group_difference whole, each; /* of values, and of values per call */
	bool per_call;                       /* the calls changed, and `each` was judged */
	bool judged;                         /* it takes enough to be asked about */
	bool matters;                        /* a finding that is significant on a side */
	bool scheduled;                      /* it wakes or blocks threads */
	bool gone;                           /* it has become a part of another row */
	double p;                            /* corrected for all rows */
	enum diff_state state;
	bool by_calls;                /* changed: as the number of calls did, not each of them */
	const struct diff_entry **at; /* by recording, base first; NULL: not there; owned */
};

struct diff {
	const struct diff_side *base, *new;
	bool sharing, priced;
	struct VEC(struct diff_row) rows; /* changed by size, added, removed, then by evidence */
	size_t judged;
	struct group_difference whole; /* thread time */
	double least; /* relative difference of the largest row that could be told, 0: none */
	const char *least_name;
	double noise;
	double in_line[2]; /* means of base and new */
};

/*
 * Compare the two; they outlive the result.  -EINVAL: of different programs; -EDOM: of
 * different purposes; -ENODATA: a recording is incomplete, or there is nothing in them.
 */
int diff_make(struct diff *d, const struct diff_side *base, const struct diff_side *new, double noise,
	      struct err *err);
void diff_release(struct diff *d);

/* A row got slower, or a finding worse. */
bool diff_worse(const struct diff_row *r);

/* "slower", "faster", "more calls", "fewer calls", "added", "removed", "same", "worse", "better". */
const char *diff_word(const struct diff_row *r);

/* The relative difference, percent, and its 95 % interval; of what the row is judged by. */
struct diff_percent {
	double estimate, low, high; /* NAN: no base */
} diff_percent(const struct diff_row *r);

/* The forms; @all: rows that did not change as well. */
void diff_text(const struct diff *d, bool all, struct strbuf *out);
void diff_json(const struct diff *d, bool all, struct strbuf *out);

/* For a page: the answer and a table of @most rows; a page of its own, with the document `diff`. */
void diff_html(const struct diff *d, bool all, size_t most, struct strbuf *out);
void diff_page(const struct diff *d, bool all, struct strbuf *out);

#endif
