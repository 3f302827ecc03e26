/* SPDX-License-Identifier: MIT */
/*
 * The benchmark of Gracioli and Froehlich, "Monitoring Shared Memory Invalidations in Embedded
 * Multicore Software through Hardware Performance Counters" (figure 4): two functions read two arrays and write
 * the first element of each row, as often as a row has elements.
 *
 *	snoops sequential|parallel|best ROWS COLUMNS REPETITIONS
 *
 * sequential: one thread runs both; parallel: two threads on the same arrays; best: two threads, each on
 * arrays of its own.  Prints seconds and how many accesses and writes the loops made.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct arrays {
	volatile unsigned *a, *b;
};

static long rows, columns, repetitions;
static pthread_barrier_t start;

static void run(const struct arrays *x)
{
	for (long i = 0; i < repetitions; i++)
		for (long j = 0; j < rows; j++) {
			volatile unsigned *a = x->a + j * columns, *b = x->b + j * columns;
			unsigned sum_a = 0, sum_b = 0;

			for (long k = 0; k < columns; k++) {
				sum_a += a[k];
				sum_b += b[k];
			}
			for (long k = 0; k < columns; k++) {
				a[0] = sum_a;
				b[0] = sum_b;
			}
		}
}

static void *thread(void *arg)
{
	pthread_barrier_wait(&start);
	run(arg);
	return NULL;
}

static struct arrays arrays_new(void)
{
	size_t bytes = (size_t)(rows * columns) * sizeof(unsigned);
	struct arrays x = {aligned_alloc(64, (bytes + 63) / 64 * 64),
			   aligned_alloc(64, (bytes + 63) / 64 * 64)};

	if (!x.a || !x.b) {
		fprintf(stderr, "snoops: no memory for arrays of %zu bytes\n", bytes);
		exit(1);
	}
	for (long i = 0; i < rows * columns; i++)
		x.a[i] = x.b[i] = 0;
	return x;
}

/* The two threads on the first two cores that there are. */
static void both(struct arrays *x, struct arrays *y)
{
	struct arrays *of[2] = {x, y};
	pthread_t t[2];
	cpu_set_t all, one;
	int core = 0;

	sched_getaffinity(0, sizeof(all), &all);
	pthread_barrier_init(&start, NULL, 2);
	for (int i = 0; i < 2; i++) {
		pthread_attr_t attr;

		pthread_attr_init(&attr);
		while (CPU_COUNT(&all) > 1 && !CPU_ISSET(core, &all))
			core++;
		CPU_ZERO(&one);
		CPU_SET(core, &one);
		if (CPU_COUNT(&all) > 1)
			pthread_attr_setaffinity_np(&attr, sizeof(one), &one);
		core++;
		pthread_create(&t[i], &attr, thread, of[i]);
		pthread_attr_destroy(&attr);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
	struct timespec from, to;
	struct arrays x, y;

	rows = argc > 2 ? atol(argv[2]) : 64;
	columns = argc > 3 ? atol(argv[3]) : 64;
	repetitions = argc > 4 ? atol(argv[4]) : 200;
	if (argc < 2 || rows < 1 || columns < 1 || repetitions < 1 || rows > 100000 || columns > 100000) {
		fprintf(stderr, "usage: snoops sequential|parallel|best [ROWS COLUMNS [REPETITIONS]]\n");
		return 2;
	}
	x = arrays_new();
	y = strcmp(argv[1], "best") ? x : arrays_new();
	clock_gettime(CLOCK_MONOTONIC, &from);
	if (!strcmp(argv[1], "sequential")) {
		run(&x);
		run(&x);
	} else {
		both(&x, &y);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("seconds %.6f\n",
	       (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9);
	printf("accesses %.0f\n", 8.0 * (double)rows * (double)columns * (double)repetitions);
	printf("writes %.0f\n", 4.0 * (double)rows * (double)columns * (double)repetitions);
	return 0;
}
