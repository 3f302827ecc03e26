/* SPDX-License-Identifier: MIT */
/* One counter for each thread: by its number in an array, or repaired, thread-local. */
#include "crew.h"

static ALIGNED long calls[4];
static __thread long mine;

static NOIPA void call(int id)
{
#ifdef FIXED
	(void)id;
	mine++;
#else
	(void)mine;
	calls[id]++; /* <- */
#endif
}

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		call(id);
	__atomic_fetch_add(&calls[id], mine, __ATOMIC_RELAXED);
}

int main(void)
{
	crew(4, work);
	return calls[0] == 0;
}
