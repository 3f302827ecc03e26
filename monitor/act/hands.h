/* SPDX-License-Identifier: MIT */
/* The hands of act.h on this machine: affinity of threads, and a file that perseus_tunable() reads. */
#ifndef PERSEUS_MONITOR_ACT_HANDS_H
#define PERSEUS_MONITOR_ACT_HANDS_H

#include <limits.h>

#include "monitor/act/act.h"

struct hands_machine {
	const char *workers; /* the tunable that is the number of workers, NULL */
	char live[PATH_MAX]; /* the file that PERSEUS_TUNE_LIVE names, "": none */
	void (*audit)(void *arg, const char *line);
	bool (*leased)(void *arg);
	void *arg; /* of both */
};

/* @m must outlive what is done with it. */
struct act_hands hands_of_machine(struct hands_machine *m);

/* Where this process may run. */
struct act_cores hands_own_cores(void);

#endif
