/* SPDX-License-Identifier: MIT */
/* `perseus record --events`: what is asked for, what of it this machine counts. */
#ifndef PERSEUS_CMD_RECORD_COUNTERS_H
#define PERSEUS_CMD_RECORD_COUNTERS_H

#include <stddef.h>

#include "lib/strbuf.h"
#include "platform/events/events.h"

struct record_events {
	struct event at[PRS_EVENTS_MAX];
	size_t n; /* 0: none were asked for */
};

/* The argument of --events; as events_encode(). */
int record_events_parse(struct record_events *e, const char *list, struct err *err);

/*
 * Try them, say on stderr which cannot be counted and why, and append what the
 * runtime is told (PERSEUS_EVENTS) to @out.  Nothing here fails: what cannot be
 * counted is not, and the program runs.
 */
void record_events_prepare(const struct record_events *e, struct strbuf *out);

#endif
