/* SPDX-License-Identifier: MIT */
/*
 * A search as a page: live, from a script file beside it that is replaced
 * whenever there is something new, and at the end with all of it inside.
 */
#ifndef PERSEUS_PLANNER_PAGE_SEARCH_PAGE_H
#define PERSEUS_PLANNER_PAGE_SEARCH_PAGE_H

#include <stdint.h>

#include "lib/strbuf.h"
#include "planner/result/outcome.h"
#include "yaml/plan.h"

struct search_page {
	const char *state;         /* "searching", "done", "stopped" */
	const char *command;       /* that repeats the search */
	const char *live;          /* base name of the script file; NULL: there is none any more */
	double seconds;            /* since the search began */
	const struct outcome *out; /* NULL: nothing is known yet */
	struct cost now;           /* of the best design so far */
	uint64_t evaluations;
	const char *log;         /* the convergence log, CSV; NULL: none yet */
	const struct plan *plan; /* what came out; NULL: not yet */
};

/* Append the page. */
void search_page(const struct search_page *s, struct strbuf *out);

/* Append the script that tells an open page how the search stands. */
void search_page_live(const struct search_page *s, struct strbuf *out);

#endif
