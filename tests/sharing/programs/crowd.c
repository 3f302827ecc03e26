/* SPDX-License-Identifier: MIT */
/* More threads than the detector has marks for, each with a counter in one array. */
#include "crew.h"

#define CROWD 48

struct desk {
	APART long visits;
};

static ALIGNED struct desk desks[CROWD];

static NOIPA void visit(struct desk *d)
{
	d->visits++; /* <- */
}

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		visit(&desks[id]);
}

int main(void)
{
	crew(CROWD, work);
	return desks[0].visits == 0;
}
