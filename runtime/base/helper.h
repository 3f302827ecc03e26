/* SPDX-License-Identifier: MIT */
/* Threads of the runtime's own, which libc knows nothing of. */
#ifndef RUNTIME_BASE_HELPER_H
#define RUNTIME_BASE_HELPER_H

#include "runtime/base/rt.h"

/*
 * Run @body in a thread of our own, with signals blocked; it must end by
 * helper_end().  False: the system allows none.
 */
bool helper_start(void (*body)(void));

/* Name the calling helper, at most 15 characters. */
void helper_name(const char *name);

__attribute__((noreturn)) void helper_end(void);

/*
 * All threads of the program have ended, by system calls that libc does not know of
 * (in a strict sandbox, say), and only helpers are left: the process would not end
 * before they do.  Reads /proc; HELPER_LOOK_US between two looks are often enough.
 */
bool helper_alone(void);
#define HELPER_LOOK_US 100000u

#endif
