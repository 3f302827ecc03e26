/* SPDX-License-Identifier: MIT */
/* What the daemon does all day: one thread, nothing that waits but the one place where it sleeps. */
#ifndef PERSEUS_DAEMON_LOOP_H
#define PERSEUS_DAEMON_LOOP_H

#include "daemon/guard.h"
#include "daemon/service.h"

/* Whoever takes all connections, root still gets in to see who it is. */
#define ROOT_PLACES 4
#define PLACES      (CLIENTS_MAX + ROOT_PLACES)

struct loop {
	struct service *service;
	struct guard *guard;
	int epoll, signals, timer, listener;
	prs_u64 alarm_ms; /* when the timer fires, 0: not set */
	prs_u32 clients;
	prs_u32 generation[PLACES]; /* tells events of a closed connection from those of its successor */
	struct connection connection[PLACES];
};

/* Open what the loop needs and block the signals that end it.  Returns 0 or an exit status. */
int loop_open(struct loop *loop, struct service *service, struct guard *guard, int listener,
	      struct problem *problem);

/* Descriptors it can have at most, with all that is open now. */
unsigned int loop_files(const struct loop *loop);

/* Serve until a signal (returns 0) or the end of the guard (EXIT_MACHINE); all leases have ended then. */
int loop_run(struct loop *loop);

#endif
