/* SPDX-License-Identifier: MIT */
/* Events of the programs that this process starts, counted together. */
#ifndef PERSEUS_RECORDER_TRAIN_COUNTERS_H
#define PERSEUS_RECORDER_TRAIN_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "platform/events/events.h"

#define TRAIN_MOST_EVENTS 16

struct train_counters {
	struct event event[TRAIN_MOST_EVENTS];
	bool user_only[TRAIN_MOST_EVENTS];
	size_t n;
	int fd[TRAIN_MOST_EVENTS];
};

/* One reading: counts, and for how long they were to be and were counted. */
struct train_counts {
	double count[TRAIN_MOST_EVENTS], enabled, running;
};

/*
 * The events in the comma list @names; NULL: generic ones, as many as are counted at once
 * here, none where no counter is usable.  -EINVAL, -EACCES: one of @names is not counted.
 */
int train_counters_choose(struct train_counters *c, const char *names, struct err *err);

/* Count what is executed by exec() in children from now on: 0 or a negative errno. */
int train_counters_open(struct train_counters *c);

/* Read all, and close them. */
int train_counters_close(struct train_counters *c, struct train_counts *out);

#endif
