/* SPDX-License-Identifier: MIT */
/*
 * haltstate [SIZE]: two counting threads with equal work, and a main thread
 * that joins them.  Nothing is shared: there is no conflict to find.  On a
 * machine whose packages can halt, both workers belong into one package.
 *
 *   make
 *   ./haltstate 1      SIZE scales the work; 1 is about a second
 *
 * Each worker counts the numbers with an even number of one bits; of any 2n
 * successive numbers from 0, exactly n are.  Exit status 1 if not.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS 2
#define LINE    64
#define BLOCK   200000 /* numbers a call of count_even() */
#define BLOCKS  2500   /* calls a worker, times SIZE */

struct worker {
	_Alignas(LINE) pthread_t thread;
	unsigned long blocks;
	uint64_t even;
};

static struct worker workers[WORKERS];

static uint64_t count_even(uint64_t from, uint64_t to)
{
	uint64_t n = 0;

	for (uint64_t i = from; i < to; i++) {
		uint64_t x = i;

		for (int shift = 32; shift; shift >>= 1)
			x ^= x >> shift;
		n += ~x & 1;
	}
	return n;
}

static void *worker(void *arg)
{
	struct worker *w = arg;
	uint64_t even = 0;

	for (unsigned long i = 0; i < w->blocks; i++)
		even += count_even(i * BLOCK, (i + 1) * BLOCK);
	w->even = even;
	return NULL;
}

int main(int argc, char **argv)
{
	double size = argc > 1 ? strtod(argv[1], NULL) : 1.0;
	unsigned long blocks;
	int bad = 0;

	if (argc > 2 || !(size > 0.0 && size <= 1000.0)) {
		fprintf(stderr, "usage: haltstate [SIZE]   (0 < SIZE <= 1000)\n");
		return 2;
	}
	blocks = (unsigned long)(BLOCKS * size) + 1;
	for (int i = 0; i < WORKERS; i++) {
		workers[i].blocks = blocks;
		if (pthread_create(&workers[i].thread, NULL, worker, &workers[i])) {
			perror("haltstate: pthread_create");
			return 1;
		}
	}
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		if (workers[i].even != blocks * (BLOCK / 2)) {
			fprintf(stderr, "haltstate: worker %d counted %llu, expected %lu\n", i,
				(unsigned long long)workers[i].even, blocks * (BLOCK / 2));
			bad = 1;
		}
	}
	printf("haltstate: %d workers, %lu even numbers each: %s\n", WORKERS, blocks * (BLOCK / 2),
	       bad ? "WRONG" : "right");
	return bad;
}
