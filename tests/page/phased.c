/* SPDX-License-Identifier: MIT */
/* Two threads that go through four rounds of two phases; with DENORMAL they smooth arrays in which numbers fade away. */
#include <pthread.h>

#define CELLS 20000

static float grid[2][CELLS];
static volatile unsigned long sums[2][64];
static pthread_barrier_t barrier;

__attribute__((noinline)) static void mix(long me, int n)
{
	for (int i = 0; i < n; i++)
		sums[me][0] += (unsigned long)i;
}

__attribute__((noinline)) static void fade(float *cells, int n)
{
	for (int i = 0; i < n; i++)
		cells[i] *= 0.25f;
}

static void *worker(void *p)
{
	long me = (long)p;

	for (int round = 0; round < 4; round++) {
		mix(me, 4000000);
		pthread_barrier_wait(&barrier);
		for (int k = 0; k < 30; k++)
			fade(grid[me], CELLS);
		mix(me, 1000000);
		pthread_barrier_wait(&barrier);
	}
	return p;
}

int main(void)
{
	pthread_t a, b;

	for (int i = 0; i < CELLS; i++)
		grid[0][i] = grid[1][i] = 1e-36f;
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&a, NULL, worker, (void *)0);
	pthread_create(&b, NULL, worker, (void *)1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
