/* SPDX-License-Identifier: MIT */
/* moves N: four threads make N stores in all, each to its own words of lines that all of them use, in no order. */
#include <pthread.h>
#include <stdlib.h>

#define THREADS 4
#define LINES   1024

struct cell {
	volatile unsigned long word[8];
};
static struct cell cells[LINES] __attribute__((aligned(4096)));
static unsigned long each;

static void *work(void *p)
{
	unsigned long me = (unsigned long)p, x = 88172645463325252ul + me;

	for (unsigned long i = 0; i < each; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		cells[x >> 20 & (LINES - 1)].word[me] = x;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];

	each = (argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000) / THREADS;
	for (unsigned long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
