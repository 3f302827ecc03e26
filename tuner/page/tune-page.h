/* SPDX-License-Identifier: MIT */
/*
 * A search for settings as a page: live, from a script file beside it that is replaced whenever there
 * is something new, and at the end with all of it inside.
 */
#ifndef PERSEUS_TUNER_PAGE_TUNE_PAGE_H
#define PERSEUS_TUNER_PAGE_TUNE_PAGE_H

#include "lib/strbuf.h"
#include "lib/vec.h"
#include "tuner/search/trials.h"

/* One run, in the order in which they were made. */
struct tune_page_run {
	enum trial_end end;
	double value;  /* as it is printed; of a run that ended well, or slow */
	char *setting; /* "name=value name=value" */
};
struct tune_page_runs VEC(struct tune_page_run);

struct tune_page {
	const char *state;   /* "searching", "done", "stopped" */
	const char *command; /* that repeats the search */
	const char *live;    /* base name of the script file; NULL: there is none any more */
	double seconds;      /* since the search began */
	uint64_t planned;    /* runs at most */
	const char *unit;    /* "s", "J", or a figure's name */
	bool more;           /* of it is better */
	const struct tune_page_runs *runs;
	const char *text; /* what came out, as it is printed; NULL: not yet */
};

/* Append the page. */
void tune_page_write(const struct tune_page *p, struct strbuf *out);

/* Append the script that tells an open page how the search stands. */
void tune_page_live(const struct tune_page *p, struct strbuf *out);

#endif
