/* SPDX-License-Identifier: MIT */
/* One HTML file that shows a run; README.md beside this file says what is in it. */
#ifndef PERSEUS_REPORT_PAGE_PAGE_H
#define PERSEUS_REPORT_PAGE_PAGE_H

#include "lib/strbuf.h"
#include "report/conflicts/conflicts.h"
#include "report/denormal/report.h"
#include "report/diff/diff.h"
#include "report/summary.h"
#include "yaml/energy.h"
#include "yaml/plan.h"

/* What a page is made of; all of it outlives the call. */
struct page_parts {
	struct report_summary *times;         /* of the timing run, without one of the sharing run */
	const struct conflicts_case *sharing; /* NULL: no sharing run */
	struct patch *sources;                /* of that run, for what a patch would change */
	const struct denormal_case *denormal; /* NULL: no run that counted denormals */
	const struct plan *plan;              /* NULL: none was given */
	const char *plan_path;
	const struct energy *model; /* of power; NULL: none was given */
	const char *joules;         /* joules.yaml as text, instead of the run's own; NULL: that */
	const char *search; /* the document of a page of `perseus plan --watch`; NULL: none was given */
	const struct diff *changes;  /* since a baseline; NULL: none was given */
	const char *const *left_out; /* sentences on runs that are not shown; ends with NULL */
};

/* Append the page to @out. */
void page_write(const struct page_parts *p, struct strbuf *out);

/* What somebody wants a page of. */
struct page_wanted {
	char *const
		*names; /* runs; none: @last, with the last run of the other purpose, if of the same build */
	size_t n;
	const char *source;   /* where the program's sources are */
	const char *platform; /* prices, as conflicts_judge() has it; or NULL */
	const char *baseline; /* a run, document or page to compare with; or NULL */
	const char *plan;     /* plan.yaml, whose cores are set against what happened; or NULL */
	const char *model;    /* energy.yaml, for joules of runs without a meter; or NULL */
	const char *meter;    /* a meter's file, as of record --meter, for the first timing run; or NULL */
	const char *search;   /* a page that `perseus plan --watch` wrote; or NULL */
};

/*
 * Append a page of the first timing run and the first sharing run of @w, which must be of
 * one program, and the first run that counted denormals, of whatever build.  *@complete: no part of a run is missing.  Fails as run_open() and diff_make()
 * do, and with -EINVAL for two programs; @out is unchanged then.
 */
int page_of_runs(const struct page_wanted *w, struct strbuf *out, bool *complete, struct err *err);

#endif
