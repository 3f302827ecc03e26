/* SPDX-License-Identifier: MIT */
/* A sharing run judged, and its findings in the forms that programs read. */
#ifndef PERSEUS_REPORT_CONFLICTS_CONFLICTS_H
#define PERSEUS_REPORT_CONFLICTS_CONFLICTS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/patch/patch.h"
#include "analyzer/sharing/sharing.h"
#include "lib/err.h"
#include "lib/strbuf.h"
#include "record/run.h"
#include "yaml/platform.h"

/* A sharing run with what it is judged by. */
struct conflicts_case {
	const struct run *run;
	struct run timing; /* if timed */
	bool timed;
	struct platform platform; /* if platformed */
	bool platformed;
	struct sharing_opts opts; /* that @rep was made with */
	struct sharing_report rep;
};

/*
 * Judge sharing run @run, which must stay open as long.  @timing: a timing run of the
 * same program, NULL: the last one, if it is of this build and command line; @platform: a
 * file or a built-in name, NULL: platform.yaml, if it is here.  Fails, with nothing to
 * release, for what cannot be read, for another program's timing run, and for a run
 * that holds no accesses to memory (-EINVAL).
 */
int conflicts_judge(struct conflicts_case *c, const struct run *run, const char *timing, const char *platform,
		    struct err *err);
void conflicts_release(struct conflicts_case *c);

/* Which findings are wanted. */
struct conflicts_choice {
	char **ids; /* asked for by name; none: all that are significant */
	size_t n_ids;
	bool all; /* also what is too small to matter */
};

/* True if the finding is one of those asked for, else significant, or with all. */
bool conflicts_chosen(const struct sharing_finding *f, const struct conflicts_choice *o);

/* The same of what is shown: of an inconclusive run all, and what may cost more than it is said to. */
bool conflicts_shown(const struct sharing_finding *f, const struct sharing_report *rep,
		     const struct conflicts_choice *o);

/*
 * All findings as JSON, schema 1, or those asked for by name, appended to @out.
 * @sources say what a patch would change.
 */
void conflicts_json(const struct sharing_report *rep, const struct run *run, const struct conflicts_choice *o,
		    struct patch *sources, struct strbuf *out);

/* What each thread did to which lines and pages, and when, as JSON, schema 1. */
void conflicts_map(const struct run *run, struct strbuf *out);

/* The chosen findings in the Static Analysis Results Interchange Format 2.1.0. */
void conflicts_sarif(const struct sharing_report *rep, const struct run *run,
		     const struct conflicts_choice *o, struct strbuf *out);

#endif
