/* SPDX-License-Identifier: MIT */
/*
 * A second process that outlives the daemon: it sleeps on a pipe whose other
 * end only the daemon has, and puts right what the notes say when that ends.
 */
#ifndef PERSEUS_DAEMON_GUARD_H
#define PERSEUS_DAEMON_GUARD_H

#include <sys/types.h>

#include "daemon/config.h"
#include "daemon/drop.h"
#include "daemon/machine/cores.h"
#include "daemon/machine/frequency.h"

struct guard {
	pid_t pid;
	int pidfd;
	int pipe; /* the daemon's end; closing it lets the guard end */
};

/* Fork it.  @listener is closed in it.  Returns 0 or an exit status. */
int guard_start(struct guard *guard, const struct config *config, struct frequency *frequency,
		struct cores *cores, struct needs needs, int listener, struct problem *problem);

/* Let it end, and wait until it has, but not for ever. */
void guard_stop(struct guard *guard);

#endif
