/* SPDX-License-Identifier: MIT */
/*
 * One thread uses both words of a line, the other only the second: they really
 * need the same bytes, and moving the first word away would not help.
 */
#include "crew.h"

struct job {
	long made;
	long open;
};

static ALIGNED struct job job;

static NOIPA void make(void)
{
#ifndef FIXED
	job.made++; /* <- */
	__atomic_fetch_add(&job.open, 1, __ATOMIC_RELAXED); /* <- */
#endif
}

static NOIPA void take(void)
{
	__atomic_fetch_sub(&job.open, 1, __ATOMIC_RELAXED); /* <- */
}

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 200; i++)
		if (id)
			take();
		else
			make();
}

int main(void)
{
	crew(2, work);
	return 0;
}
