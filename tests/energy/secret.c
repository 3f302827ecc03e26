/* SPDX-License-Identifier: MIT */
/*
 * A program that is its own machine: what it does raises the energy counter of a made-up
 * RAPL zone by 2 mJ for each of its calls.
 *   secret FILE FIRST ROUNDS: FIRST uJ is in FILE before it starts.
 * In each round heavy() is called three times as often as light(), which is in a
 * thread of its own.  A counter of 262143328850 uJ begins again.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define RANGE 262143328850.0
#define CALLS 1000

static volatile double sink;
static long calls;

__attribute__((noinline)) void heavy(int n)
{
	for (int i = 0; i < n; i++)
		sink += i * 0.5;
}

__attribute__((noinline)) void light(int n)
{
	for (int i = 0; i < n; i++)
		sink += i * 0.5;
}

static void draw(const char *file, double first)
{
	double uj = first + 2e3 * (double)calls;
	FILE *f = fopen(file, "r+");

	if (!f)
		exit(1);
	fprintf(f, "%012.0f\n", uj >= RANGE ? uj - RANGE : uj);
	fclose(f);
}

static void *worker(void *arg)
{
	for (int i = 0; i < CALLS; i++)
		light(3000);
	return arg;
}

int main(int argc, char **argv)
{
	for (int k = 0; argc > 3 && k < atoi(argv[3]); k++) {
		pthread_t t;

		pthread_create(&t, NULL, worker, NULL);
		for (int i = 0; i < 3 * CALLS; i++)
			heavy(1000);
		pthread_join(t, NULL);
		calls += 4 * CALLS;
		draw(argv[1], atof(argv[2]));
	}
	return 0;
}
