/* SPDX-License-Identifier: MIT */
/*
 * Counts over time as text: kept by perseus monitor --save, played again by --replay, or made up.
 *
 *	perseus-counts 1
 *	events NAME...
 *	at NS
 *	thread PID TID CORE PARTNER NAME [VALUE ENABLED RUNNING]...
 *
 * Numbers are running sums since some beginning; CORE and PARTNER are - where they are not
 * known; NAME has %XX for what is no letter of a word.
 */
#ifndef PERSEUS_MONITOR_COUNTS_FILE_H
#define PERSEUS_MONITOR_COUNTS_FILE_H

#include "lib/err.h"
#include "lib/read/words.h"
#include "lib/strbuf.h"
#include "monitor/counts/look.h"

struct counts_file {
	struct words words;
	struct counts_events events;
	uint64_t next_ns; /* of the look that comes, 0: none */
};

/* Begin with @text, which may go after the call; as words_open(). */
int counts_file_open(struct counts_file *f, const char *path, const char *text, size_t len, struct err *err);
void counts_file_close(struct counts_file *f);

/* The next look: 1, 0 at the end, -EINVAL with its line. */
int counts_file_next(struct counts_file *f, struct counts_look *look, struct err *err);

/* The same backwards: the head, and one look. */
void counts_file_head(struct strbuf *out, const struct counts_events *events);
void counts_file_look(struct strbuf *out, const struct counts_look *look);

#endif
