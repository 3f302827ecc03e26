/* SPDX-License-Identifier: MIT */
/*
 * float [SIZE]: four threads with equal floating-point work, and a main thread
 * that joins them.  Nothing is shared.
 *
 *   make
 *   ./float 1          SIZE scales the work; 1 is about a second on two cores
 *
 * Each worker sums a quarter of the Leibniz series, the terms dealt in turn;
 * the sum must be pi as closely as the series promises.  Exit status 1 if not.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS 4
#define LINE    64
#define BLOCK   50000 /* terms a call of sum_terms() */
#define BLOCKS  7500  /* calls a worker, times SIZE */

struct worker {
	_Alignas(LINE) pthread_t thread;
	int index;
	unsigned long blocks;
	double sum;
};

static struct worker workers[WORKERS];

/* @n terms 4/(4k+1) - 4/(4k+3) for k = first, first + WORKERS, ... */
static double sum_terms(double first, int n)
{
	double k = first, sum = 0.0;

	for (int i = 0; i < n; i++) {
		sum += 8.0 / ((4.0 * k + 1.0) * (4.0 * k + 3.0));
		k += WORKERS;
	}
	return sum;
}

static void *worker(void *arg)
{
	struct worker *w = arg;
	double sum = 0.0;

	for (unsigned long i = 0; i < w->blocks; i++)
		sum += sum_terms((double)i * BLOCK * WORKERS + w->index, BLOCK);
	w->sum = sum;
	return NULL;
}

int main(int argc, char **argv)
{
	double size = argc > 1 ? strtod(argv[1], NULL) : 1.0;
	unsigned long blocks;
	double pi = 0.0, tail;

	if (argc > 2 || !(size > 0.0 && size <= 1000.0)) {
		fprintf(stderr, "usage: float [SIZE]   (0 < SIZE <= 1000)\n");
		return 2;
	}
	blocks = (unsigned long)(BLOCKS * size) + 1;
	for (int i = 0; i < WORKERS; i++) {
		workers[i].index = i;
		workers[i].blocks = blocks;
		if (pthread_create(&workers[i].thread, NULL, worker, &workers[i])) {
			perror("float: pthread_create");
			return 1;
		}
	}
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		pi += workers[i].sum;
	}
	/* What is missing after n pairs of terms is 1/(2n) to first order. */
	tail = 1.0 / (2.0 * WORKERS * BLOCK * (double)blocks);
	printf("float: %d workers, %lu terms each, pi = %.10f: %s\n", WORKERS, blocks * BLOCK, pi + tail,
	       fabs(pi + tail - M_PI) < 1e-10 ? "right" : "WRONG");
	return !(fabs(pi + tail - M_PI) < 1e-10);
}
