/* SPDX-License-Identifier: MIT */
/* Names of events to what perf_event_open() takes, and whether it takes it here. */
#ifndef PERSEUS_PLATFORM_EVENTS_EVENTS_H
#define PERSEUS_PLATFORM_EVENTS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "perseus/counter.h"

/* One event, in the terms of struct perf_event_attr. */
struct event {
	char name[PRS_EVENT_NAME]; /* as the user wrote it */
	uint32_t type, flags;      /* PRS_EVENT_* */
	uint64_t config, config1, config2;
};

/*
 * Encode @name: one of perf's generic events ("cycles", "LLC-load-misses",
 * "task-clock"), any event of this processor that libpfm4 knows with its unit
 * masks and modifiers ("MEM_LOAD_RETIRED:L3_MISS:u"), or rHEX.  -EINVAL:
 * nothing goes by that name here; -ENAMETOOLONG.
 */
int event_encode(struct event *e, const char *name, struct err *err);

/* The same of @text, which may be longer, under a name of the caller's. */
int event_encode_named(struct event *e, const char *name, const char *text, struct err *err);

/* Encode the comma list @names into at most @max events, @n gets their number.  As above; -E2BIG. */
int events_encode(struct event *e, size_t max, size_t *n, const char *names, struct err *err);

/*
 * Try to count @e in this process.  0, or a negative errno; *@user_only is set
 * if that worked in user mode alone.
 */
int event_try(const struct event *e, bool *user_only);

/*
 * Count @e for thread @tid (0: this one) wherever it runs, or (-1) for all on @cpu, in the group
 * that descriptor @group leads (-1: it leads one).  Reads have the whole group, with the times for
 * which it was wanted and counted.  A descriptor, or a negative errno: -EINVAL where the group
 * could never be on the counters at the same time; *@user_only as above.
 */
int event_open(const struct event *e, int tid, int cpu, int group, bool *user_only);

/* True if getrusage() or the thread's CPU clock knows the event even where perf is refused. */
bool event_is_known_anyway(const struct event *e);

/* True if the kernel counts it itself, without hardware. */
bool event_is_software(const struct event *e);

/*
 * What one rdpmc of event @e costs, ns; 0: not possible.  Tried in a child
 * process, since the instruction may fault whatever the kernel says of it.
 */
double event_rdpmc_ns(const struct event *e);

/* Why an event was refused with errno @error on this machine, and the remedy (NULL: none). */
const char *event_refusal(const struct event *e, int error, const char **remedy);

/* Append PERSEUS_EVENTS for @e[0..n): see perseus/counter.h. */
void events_text(const struct event *e, size_t n, bool rdpmc, struct strbuf *out);

/*
 * Call @visit for each event that libpfm4 lists for this machine, the generic
 * ones first; with unit masks, each of them.  -ENOSYS: the library does not work.
 */
int events_each(void (*visit)(void *arg, const char *name, const char *about), void *arg, struct err *err);

#endif
