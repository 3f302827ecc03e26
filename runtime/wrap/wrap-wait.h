/* SPDX-License-Identifier: MIT */
/*
 * What the interposed functions that wait have in common.  None of it is
 * inlined: there are a hundred such functions, and none that waits is in a
 * hurry.
 */
#ifndef RUNTIME_WRAP_WRAP_WAIT_H
#define RUNTIME_WRAP_WRAP_WAIT_H

#include <errno.h>

#include "runtime/calls/wait.h"
#include "runtime/wrap/real.h"

#define WRAP_SHARED __attribute__((noinline))

/* What the real call has to do, for functions that serve several names. */
struct wrap_until {
	clockid_t clock;
	const struct timespec *time;
};

/* A wait at @object begins; @e->begin is 0 if it is not recorded. */
void wrap_begin(struct rt_seen *e, uint32_t kind, const volatile void *object, const void *caller);

/*
 * It has ended with @value, for thread @whom; @pair: the mutex of a condition,
 * or NULL; @fd: or -1.  errno is left alone.
 */
void wrap_end(struct rt_seen *e, int64_t value, uint32_t whom, const void *pair, int fd);

/* The same for a call that mostly does not block: wrap_long() tells afterwards. */
void wrap_begin_call(struct rt_seen *e, uint32_t kind, const void *caller);

/* True if the call of @e took long and the thread gave up its core; else nothing waits any more. */
bool wrap_long(const struct rt_seen *e);

/* The calling thread, at @caller, has got @object. */
void wrap_taken(uint32_t kind, const volatile void *object, const void *caller);

/* The calling thread is about to wake who waits at @object. */
void wrap_wakes(uint32_t kind, const volatile void *object, const void *caller);

/* pthread_mutex_lock() from @caller, from its beginning, and when a try has returned @ret. */
int wrap_lock(pthread_mutex_t *m, const void *caller);
int wrap_lock_tried(pthread_mutex_t *m, int ret, const void *caller);

/* The way of syscall(SYS_futex, ...), and what it returns when it fails: errno is set. */
long futex_syscall(long nr, long a, long b, long c, long d, long e, long f)
	__attribute__((visibility("hidden"), used));
long seal_failed(long ret) __attribute__((visibility("hidden"), used));

/*
 * The same for a call on descriptor @fd, -1: several; @stays: it is asked not to
 * block.  At its end @fd is the one that it was about, -1: not known; errno is
 * left alone.
 */
void wrap_io_begin(struct rt_seen *e, uint32_t kind, int fd, bool stays, const void *caller);
void wrap_io_end(struct rt_seen *e, int fd, int64_t value);

#endif
