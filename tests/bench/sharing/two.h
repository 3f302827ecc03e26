/* SPDX-License-Identifier: MIT */
/* Two threads that each do half of the work, started together. */
#ifndef TWO_H
#define TWO_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOIPA __attribute__((noipa))

static inline void *two_half(void *arg)
{
	void (*work)(int) = *(void (**)(int))arg;

	work(1);
	return NULL;
}

static inline void two(void (*work)(int))
{
	pthread_t t;

	if (pthread_create(&t, NULL, two_half, &work))
		exit(3);
	work(0);
	pthread_join(t, NULL);
}

/* Numbers that look random, the same in each run. */
static inline uint32_t two_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static inline void *two_memory(size_t bytes)
{
	void *p = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);

	if (!p)
		exit(3);
	return memset(p, 0, (bytes + 4095) & ~(size_t)4095);
}

#endif
