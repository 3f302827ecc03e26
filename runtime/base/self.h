/* SPDX-License-Identifier: MIT */
/* The calling thread.  thread.c, which makes its state, defines thread_touch(): what is below it needs no more. */
#ifndef RUNTIME_BASE_SELF_H
#define RUNTIME_BASE_SELF_H

#include "runtime/base/rt.h"

/*
 * The calling thread's state; on its first touch makes its block.  NULL: the
 * thread is not recorded (no room, or it has ended), rt_block is then the
 * dead block.
 */
struct rt_thread *thread_touch(void);

static inline struct rt_thread *thread_self(void)
{
	struct rt_thread *t = rt_self;

	return rt_unlikely(!t) ? thread_touch() : t;
}

#endif
