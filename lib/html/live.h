/* SPDX-License-Identifier: MIT */
/*
 * A page of work that goes on, beside a script file that is replaced whenever there is news: an open page
 * reads it (assets/live.js).  At the end the page is written once more, with all in it.
 */
#ifndef PERSEUS_LIB_HTML_LIVE_H
#define PERSEUS_LIB_HTML_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"

struct html_live {
	const char *path; /* of the page; NULL: none was asked for */
	char *script;     /* the file beside it */
	char *command;    /* that repeats the work, for a shell */
	uint64_t begin_ns, told_ns;
};

/* Work begins now; @argv is the command's, without the program's name. */
void html_live_init(struct html_live *l, const char *path, int argc, char *const *argv);
void html_live_release(struct html_live *l);

/* Since the work began. */
double html_live_seconds(const struct html_live *l);

/* Has nobody been told for a second?  Then it counts as done now. */
bool html_live_due(struct html_live *l);

/* Replace file @path by @text, which is emptied.  0 or a negative errno. */
int html_live_put(const char *path, struct strbuf *text, struct err *err);

#endif
