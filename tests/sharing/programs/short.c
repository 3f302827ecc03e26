/* SPDX-License-Identifier: MIT */
/* The whole program lasts twenty milliseconds. */
#include "crew.h"

struct tally {
	int red;
	APART int black;
};

static ALIGNED struct tally tally;

static NOIPA void count(int *n)
{
	++*n; /* <- */
}

static void work(int id)
{
	int *mine = id ? &tally.black : &tally.red;

	FOR_US(20000)
		for (int i = 0; i < 1000; i++)
			count(mine);
}

int main(void)
{
	crew(2, work);
	return tally.red == 0;
}
