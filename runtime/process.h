/* SPDX-License-Identifier: MIT */
/* When recording starts and ends, and what fork does to it. */
#ifndef RUNTIME_PROCESS_H
#define RUNTIME_PROCESS_H

#include <stdbool.h>

/* Start recording if the environment asks for it; later calls return at once.  True: recording. */
bool process_activate(void);

/* Write what is known at the end; recording goes on, the process may call again. */
void process_close(void);

/* What process_close() announced did not happen. */
void process_reopen(void);

/*
 * The process ends without exit handlers: process_close(), or if recording
 * never began, its record vanishes.
 */
void process_end(void);

/* The recorder's word has come: record from now on.  Only while waiting for it. */
void process_begin(void);

/* The recorder's word has come: close the record; the probes are dormant from now on. */
void process_stop(void);

/*
 * The process is about to forbid itself system calls or the clock, and what
 * the probes do behind the scenes might get it killed: the record is closed
 * and every probe goes dormant, before.  False: nothing was recorded.
 */
bool process_seal(void);

/* What process_seal() announced did not happen: recording goes on. */
void process_unseal(void);

/*
 * Round a fork: hold everything still before it, go on in the parent; the
 * child gets a record of its own, or is dormant.
 */
void process_fork_begin(void);

/* True between the two, in the thread that forks: the rest of libc's own fork() comes by. */
bool process_forking(void);
void process_fork_end(void);
void process_forked(void);

#endif
