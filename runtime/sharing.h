/* SPDX-License-Identifier: MIT */
/* Sharing runs: the line directory and who holds which bit of its words. */
#ifndef RUNTIME_SHARING_H
#define RUNTIME_SHARING_H

#include "runtime/rt.h"

/* Make the directory, or empty it (a fork child); false: no memory. */
bool sharing_setup(void);

/* Give the thread a bit of the directory words, and take it back; under rt_lock(). */
void sharing_thread_begin(struct rt_thread *t);
void sharing_thread_end(struct rt_thread *t);

#endif
