/* SPDX-License-Identifier: MIT */
#include "two.h"

#define WORKERS 2
static unsigned count[WORKERS] = {1, 2};

static void *run(void *arg)
{
	long me = (long)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		count[me] += 3;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	unsigned long i, sum = 0;
	int bad;

	memset(count, 0, sizeof(count));
	for (i = 0; i < sizeof(count) / sizeof(count[0]); i++)
		mine((int)i, &count[i], sizeof count[i]);
	bad = two(run, (void *)0, run, (void *)1);
	for (i = 0; i < WORKERS; i++)
		sum += count[i];
	printf("%p %lu\n", (void *)count, sum);
	return sum == 6UL * TURNS ? bad : 3;
}
