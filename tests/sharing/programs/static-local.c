/* SPDX-License-Identifier: MIT */
/* Counters that belong to functions. */
#include "crew.h"

#ifdef FIXED
#define SPREAD __attribute__((aligned(64)))
#else
#define SPREAD
#endif

struct both {
	long parsed;
	SPREAD long printed;
};

static NOIPA long tick(int which, long n)
{
	static ALIGNED struct both count;

	if (which)
		count.printed += n; /* <- */
	else
		count.parsed += n; /* <- */
	return n;
}

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		tick(id, i);
}

int main(void)
{
	crew(2, work);
	return 0;
}
