/* SPDX-License-Identifier: MIT */
/* Two threads, four places: they meet inside of one struct, or from one to the next. */
#include "inc/first.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define LINE __attribute__((aligned(64)))

/* A line for both: no room around `hits` parts its elements. */
struct tally {
	volatile long hits[2];
	long pad[6];
};

/* Each thread has one of them. */
struct slot {
	volatile long n;
	long kept;
};

/* The same within a struct. */
struct cell {
	volatile long c;
	long kept;
};
struct deep {
	struct cell cells[2];
	long more[4];
};

/* An array of numbers, one struct further in. */
struct nest {
	struct {
		volatile long w[2];
	} egg;
};

static struct tally tallies[2] LINE;
static struct nest nest LINE;
static struct tally one LINE;
static struct slot slots[2] LINE;
static struct deep deeps[2] LINE;
static struct tally *heap;
static pthread_barrier_t both;

static void *run(void *arg)
{
	long id = (long)arg;
	int first = go_first(id);

	pthread_barrier_wait(&both);
	for (long i = 0; i < 1000000; i++) {
		/* Else the threads may have one core between them. */
		if (!first && i % 256 == 0)
			sched_yield();
		tallies[1].hits[id]++;
		one.hits[id]++;
		heap[1].hits[id]++;
		nest.egg.w[id]++;
		slots[id].n++;
		deeps[1].cells[id].c++;
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	heap = aligned_alloc(64, 2 * sizeof(*heap));
	for (int i = 0; i < 2; i++)
		heap[i] = (struct tally){.hits = {0}};
	pthread_barrier_init(&both, NULL, 2);
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%ld %ld %ld\n", tallies[1].hits[0] + one.hits[1], slots[0].n + heap[1].hits[1],
	       deeps[1].cells[1].c + nest.egg.w[0]);
	return 0;
}
