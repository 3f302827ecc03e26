/* SPDX-License-Identifier: MIT */
/*
 * A run in the formats of other tools.  One file each; all of them write into
 * a struct export, which hands over what is ready, so that a long trace needs
 * no more memory than a short one.
 */
#ifndef PERSEUS_REPORT_EXPORT_EXPORT_H
#define PERSEUS_REPORT_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "report/conflicts/conflicts.h"
#include "report/time/types.h"

enum export_table { EXPORT_FUNCTIONS, EXPORT_SITES, EXPORT_WAITS, EXPORT_THREADS, EXPORT_TIMES };

struct export
{
	const struct run *run;
	struct report_summary *s;            /* of it */
	const struct conflicts_case *judged; /* of a sharing run, else NULL */
	enum export_table table;             /* of CSV */
	bool trace;                          /* every call of the trace, or nothing */
	FILE *to;
	struct strbuf out;   /* not yet written */
	int failed;          /* negative errno of the first write that did, 0 */
	struct strbuf notes; /* what is missing, whole lines, for stderr */
	bool partial;        /* a part of the trace could not be read, or was not recorded */
};

struct export_format {
	const char *name, *what; /* what: for people, one line */
	bool judged;             /* wants the run judged if it is a sharing run */
	bool timeline;           /* draws time: from the trace if there is one */
	int (*write)(struct export *e, struct err *err);
};

/* All formats; the last has no name. */
extern const struct export_format export_formats[];

/* NULL: there is none of that name. */
const struct export_format *export_format(const char *name);

/*
 * Write e->run to e->to in a format.  -ENODATA: the run has no tree of calls;
 * -ENOENT: it has no trace.  @e->out and @e->notes are the caller's to release.
 */
int export_run(struct export *e, const struct export_format *format, struct err *err);

#endif
