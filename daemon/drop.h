/* SPDX-License-Identifier: MIT */
/* Giving up what is not needed any more once everything is open. */
#ifndef PERSEUS_DAEMON_DROP_H
#define PERSEUS_DAEMON_DROP_H

#include <stdbool.h>

#include "daemon/config.h"

/* What the filter of system calls lets through beside what every daemon needs. */
struct needs {
	bool module; /* the ioctls of /dev/perseus */
	bool cores;  /* reading lists of processes; moving processes that have rights of their own */
	bool guard;  /* only what the guard does */
};

/*
 * Become another user if this one is root, keep CAP_SYS_NICE if cores are reserved and nothing else, no new
 * privileges, no core dumps, no further processes, at most @files descriptors.  Returns 0 or an exit status.
 */
int drop_rights(const struct config *config, struct needs needs, unsigned int files, struct problem *problem);

/* From here on any other system call ends the process.  Returns 0 or an exit status. */
int drop_calls(struct needs needs, struct problem *problem);

#endif
