// SPDX-License-Identifier: MIT
// cells ROUNDS: two threads take turns at a table of counters, a mutex for each.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 64
static struct {
	pthread_mutex_t lock;
	long n;
} cell[CELLS];
static long rounds;

static void add(unsigned i, long by)
{
	pthread_mutex_lock(&cell[i].lock);
	cell[i].n += by;
	pthread_mutex_unlock(&cell[i].lock);
}

static void *work(void *arg)
{
	unsigned x = (unsigned)(size_t)arg;

	for (long r = 0; r < rounds; r++) {
		for (int k = 0; k < 20; k++)
			x = x * 1664525u + 1013904223u;
		add(x >> 26, (long)(x & 7));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];
	long sum = 0;

	rounds = argc > 1 ? atol(argv[1]) : 2000000;
	for (int i = 0; i < CELLS; i++)
		pthread_mutex_init(&cell[i].lock, NULL);
	for (size_t i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < CELLS; i++)
		sum = sum * 3 + cell[i].n;
	printf("%ld\n", sum);
}
