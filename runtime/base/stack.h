/* SPDX-License-Identifier: MIT */
/* Where the calling thread's stack lies, without pthread_getattr_np(), which allocates on the program's heap. */
#ifndef RUNTIME_BASE_STACK_H
#define RUNTIME_BASE_STACK_H

#include <stdbool.h>
#include <stdint.h>

struct rt_stack {
	uint64_t low, high;
};

/* Of the calling thread; @main: the process's first one, whose stack grows.  False: not known. */
bool stack_find(struct rt_stack *s, bool main);

#endif
