/* SPDX-License-Identifier: MIT */
/*
 * Stands in for counters.c in the runtime that counts no events: most runs ask
 * for none, and all of the runtime shares the caches with the program.
 */
#include "runtime/calls/counters.h"

void counters_ask(void)
{
}

void counters_begin(struct rt_thread *t)
{
	(void)t;
}

void counters_end(struct rt_thread *t)
{
	(void)t;
}

void counters_snapshot(struct rt_thread *t)
{
	(void)t;
}

void counters_forked(void)
{
}

void counters_take(struct rt_thread *t, uint32_t why)
{
	(void)t;
	(void)why;
}
