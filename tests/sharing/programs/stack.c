/* SPDX-License-Identifier: MIT */
/* Variables of main() that its threads use through pointers. */
#include "crew.h"

static long *result[2];

static NOIPA void add(long *sum, long v)
{
	*sum += v; /* <- */
}

static void work(int id)
{
	long *sum = result[id];

	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		add(sum, i);
}

int main(void)
{
	ALIGNED struct {
		long even;
		APART long odd;
	} total = {0, 0};

	result[0] = &total.even;
	result[1] = &total.odd;
	crew(2, work);
	return total.even == 0 || total.odd == 0;
}
