/* SPDX-License-Identifier: MIT */
/* Two counters of a global struct, one for each thread. */
#include "crew.h"

struct traffic {
	long rx;
	APART long tx;
};

static ALIGNED struct traffic stats;

static NOIPA void received(long bytes)
{
	stats.rx += bytes; /* <- */
}

static NOIPA void sent(long bytes)
{
	stats.tx += bytes; /* <- */
}

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		if (id)
			sent(i);
		else
			received(i);
}

int main(void)
{
	crew(2, work);
	return stats.rx == 0 || stats.tx == 0;
}
