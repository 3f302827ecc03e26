/* SPDX-License-Identifier: MIT */
/* All threads add to one word: no layout helps. */
#include "crew.h"

static ALIGNED struct {
	long total;
#ifdef FIXED
	ALIGNED long part[4][LINE / sizeof(long)];
#endif
} sum;

static NOIPA void add(int id, long v)
{
#ifdef FIXED
	__atomic_fetch_add(&sum.part[id][0], v, __ATOMIC_RELAXED);
#else
	(void)id;
	__atomic_fetch_add(&sum.total, v, __ATOMIC_RELAXED); /* <- */
#endif
}

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 200; i++)
		add(id, i);
}

int main(void)
{
	crew(2, work);
	return 0;
}
