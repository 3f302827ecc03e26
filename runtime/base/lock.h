/* SPDX-License-Identifier: MIT */
/*
 * The one lock of the runtime: attach, thread begin and end, new chunks and fork.
 * Hot paths take none.
 */
#ifndef RUNTIME_BASE_LOCK_H
#define RUNTIME_BASE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Take the lock with all signals blocked; @old goes to rt_unlock(). */
void rt_lock(uint64_t *old);

/* The same unless somebody has it; true: taken. */
bool rt_try_lock(uint64_t *old);

void rt_unlock(const uint64_t *old);

#endif
