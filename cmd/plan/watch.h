/* SPDX-License-Identifier: MIT */
/* Ctrl-C and the progress line of a search. */
#ifndef PERSEUS_CMD_PLAN_WATCH_H
#define PERSEUS_CMD_PLAN_WATCH_H

#include <signal.h>
#include <stdint.h>

#include "cmd/plan/page.h"
#include "planner/result/outcome.h"

struct plan_watch {
	uint64_t begin_ns, shown_ns; /* child_clock_ns() */
	uint64_t islands_ns;         /* when the islands began */
	bool terminal, is_shown;
	struct plan_page *page;
	sigset_t set, old;
};

/*
 * From here on SIGINT and SIGTERM end the search and not the process, and
 * stderr shows how it goes if it is a terminal, and @page too.  Sets @opts's callbacks.
 */
void plan_watch_begin(struct plan_watch *w, struct planner_options *opts, struct plan_page *page);

/* As it was; a signal that came meanwhile is forgotten, since it was obeyed. */
void plan_watch_end(struct plan_watch *w);

#endif
