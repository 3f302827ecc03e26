/* SPDX-License-Identifier: MIT */
/* perseus tune --watch: the search as a page, while it goes on and when it has ended. */
#ifndef PERSEUS_CMD_TUNE_PAGE_H
#define PERSEUS_CMD_TUNE_PAGE_H

#include "lib/html/live.h"
#include "tuner/page/tune-page.h"
#include "tuner/search/search.h"

struct tune_opts;

struct tune_watch {
	struct html_live live; /* its path NULL: no page was asked for */
	const struct tune_opts *o;
	const struct space *space;
	tuner_measure *measure; /* who answers */
	void *arg;
	struct tune_page_runs runs;
	uint64_t planned;
};

/*
 * A file that is there already stays: -EEXIST.  Only who goes on with a search writes over a page, and no other file,
 * and what is no regular file is not in the way.
 */
int tune_watch_check(const struct tune_opts *o, struct err *err);

/* Write the page that waits for news.  Fails if it cannot be written. */
int tune_watch_begin(struct tune_watch *w, const struct tune_opts *o, const struct space *space,
		     struct err *err);

/* A tuner_measure with a struct tune_watch as its argument: hands on, and tells an open page once a second. */
int tune_watch_measure(void *watch, const struct tuner_ask *ask, struct tuner_answer *answer,
		       struct err *err);

/* Write the page with what came out (@text; NULL: nothing did), and free all. */
int tune_watch_end(struct tune_watch *w, const char *text, struct err *err);

#endif
