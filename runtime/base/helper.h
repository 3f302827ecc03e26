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

/* The calling helper's name, at most 15 characters, and a word that the kernel clears at its end, or NULL. */
void helper_begin(const char *name, uint32_t *tid);

__attribute__((noreturn)) void helper_end(void);

/*
 * All threads of the program have ended, by system calls that libc does not know of
 * (in a strict sandbox, say), and only helpers are left: the process would not end
 * before they do.  Reads /proc; HELPER_LOOK_US between two looks are often enough.
 */
bool helper_alone(void);
#define HELPER_LOOK_US 100000u

/* The same, as often as is enough; @looked: ticks of the last look. */
bool helper_left(uint64_t *looked);

/* Wake a helper that sleeps on @word. */
void helper_nudge(uint32_t *word);

/* Wait for the end of a helper that was told to end, a second at most; @tid and @word as above. */
void helper_join(const uint32_t *tid, uint32_t *word);

#endif
