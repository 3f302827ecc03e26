/* SPDX-License-Identifier: MIT */
/* A table that all threads read: sharing costs nothing. */
#include "crew.h"

static ALIGNED int table[1024];
static struct {
	ALIGNED long sum;
} out[4];

static NOIPA int look_up(unsigned i)
{
	return table[i % 1024];
}

static void work(int id)
{
	long sum = 0;

	FOR_A_WHILE for (unsigned i = 0; i < 1000; i++)
		sum += look_up(i * 37);
	out[id].sum = sum;
}

int main(void)
{
	for (int i = 0; i < 1024; i++)
		table[i] = i;
	crew(4, work);
	return out[0].sum == 0;
}
