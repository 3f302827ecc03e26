/* SPDX-License-Identifier: MIT */
/* perseus plan --watch: the search as a page, while it goes on and when it has ended. */
#ifndef PERSEUS_CMD_PLAN_PAGE_H
#define PERSEUS_CMD_PLAN_PAGE_H

#include "lib/err.h"
#include "lib/html/live.h"
#include "planner/result/outcome.h"
#include "yaml/plan.h"

struct plan_options;

struct plan_page {
	struct html_live live;
	const struct convergence *log;
};

/* Write the page that waits for news; @log is filled by the search.  Fails if it cannot be written. */
int plan_page_begin(struct plan_page *w, const struct plan_options *o, const struct convergence *log,
		    struct err *err);

/* Tell an open page how the search stands, once a second. */
void plan_page_progress(struct plan_page *w, const struct progress *at);

/* Write the page with what came out (@out, @plan: NULL, nothing did), and take the script away. */
int plan_page_end(struct plan_page *w, const struct outcome *out, const struct plan *plan, struct err *err);
void plan_page_release(struct plan_page *w);

#endif
