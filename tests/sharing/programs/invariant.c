/* SPDX-License-Identifier: MIT */
/*
 * A sum that the loop adds to in memory, because the bytes it reads might be the
 * sum's own: the address never changes, so that its probe can leave the loop.
 */
#include "crew.h"

struct check {
	long low;
	APART long high;
};

static ALIGNED struct check check;
static ALIGNED unsigned char data[2][4096];

static NOIPA void sum(long *total, const unsigned char *p, int n)
{
	for (int i = 0; i < n; i++)
		*total += p[i]; /* <- */
}

static void work(int id)
{
	FOR_A_WHILE sum(id ? &check.high : &check.low, data[id], sizeof(data[id]));
}

int main(void)
{
	for (int i = 0; i < 4096; i++)
		data[0][i] = data[1][i] = (unsigned char)i;
	crew(2, work);
	return check.low == 0 || check.high == 0;
}
