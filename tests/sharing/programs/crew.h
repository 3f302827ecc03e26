/* SPDX-License-Identifier: MIT */
/*
 * Threads that start at one gate, dealt to the cores in turn, and run for RUN_MS
 * milliseconds (environment, 150 if not set), each by its own reading of the clock:
 * nothing here is written by two threads.  With -DFIXED a program is its repaired twin, APART
 * puts a variable or member on a cache line of its own there.  For C and C++.
 */
#ifndef CREW_H
#define CREW_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LINE 64
#ifdef __cplusplus
#define ALIGNED alignas(LINE)
#else
#define ALIGNED _Alignas(LINE)
#endif
#ifdef FIXED
#define APART ALIGNED
#else
#define APART
#endif

/* As if it stood in another unit: what it does to memory is really done. */
#define NOIPA __attribute__((noipa))

__attribute__((unused)) static pthread_barrier_t crew_gate;

struct crew_seat {
	void (*work)(int id);
	int id;
};

/* Put the calling thread on one of the cores it may use, chosen by its number. */
static inline void crew_pin(int id)
{
	cpu_set_t may, one;
	int n;

	if (sched_getaffinity(0, sizeof(may), &may) || !(n = CPU_COUNT(&may)))
		return;
	id %= n;
	for (int c = 0; c < CPU_SETSIZE; c++)
		if (CPU_ISSET(c, &may) && !id--) {
			CPU_ZERO(&one);
			CPU_SET(c, &one);
			sched_setaffinity(0, sizeof(one), &one);
			return;
		}
}

static void *crew_sit(void *arg)
{
	struct crew_seat seat = *(struct crew_seat *)arg;

	crew_pin(seat.id);
	pthread_barrier_wait(&crew_gate);
	seat.work(seat.id);
	return NULL;
}

/* Run work(0) to work(n - 1) at the same time, and wait for all. */
static inline void crew(int n, void (*work)(int id))
{
	pthread_t threads[64];
	struct crew_seat seats[64];

	pthread_barrier_init(&crew_gate, NULL, (unsigned)n);
	for (int i = 0; i < n; i++) {
		seats[i].work = work;
		seats[i].id = i;
		if (pthread_create(&threads[i], NULL, crew_sit, &seats[i]))
			exit(3);
	}
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static inline int64_t crew_clock(clockid_t which)
{
	struct timespec t;

	clock_gettime(which, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static inline int64_t crew_run_us(void)
{
	const char *ms = getenv("RUN_MS");

	return (ms ? atoi(ms) : 150) * 1000L;
}

/* A thread's time at work: microseconds by the wall's clock and by its own. */
struct crew_time {
	int64_t wall, own, us, turns, fixed;
};

static inline struct crew_time crew_begin(int64_t us)
{
	struct crew_time t;

	t.wall = crew_clock(CLOCK_MONOTONIC);
	t.own = crew_clock(CLOCK_THREAD_CPUTIME_ID);
	t.us = us;
	t.turns = 0;
	t.fixed = getenv("CREW_FIXED") ? atoll(getenv("CREW_FIXED")) : 0;
	return t;
}

/*
 * On a loaded machine a thread goes on until it has had its time, so that it
 * still meets the others; but not for ever.  With CREW_TURNS in the environment
 * it says how many turns it made in a microsecond of its time; with CREW_FIXED=N it
 * makes N turns, however long they take.
 */
__attribute__((unused)) static NOIPA int crew_more(struct crew_time *t)
{
	int64_t wall = crew_clock(CLOCK_MONOTONIC) - t->wall, own;

	if (t->fixed ? t->turns < t->fixed : wall < t->us) {
		t->turns++;
		return 1;
	}
	own = crew_clock(CLOCK_THREAD_CPUTIME_ID) - t->own;
	if (!t->fixed && wall < 10 * t->us && own < t->us * 6 / 10) {
		t->turns++;
		return 1;
	}
	if (getenv("CREW_TURNS"))
		fprintf(stderr, "%.4f\n", (double)t->turns / (double)own);
	return 0;
}

#define FOR_US(us) for (struct crew_time crew_t = crew_begin(us); crew_more(&crew_t);)
#define FOR_A_WHILE FOR_US(crew_run_us())

/* Bytes that nobody can foresee, the same in each run. */
static inline uint32_t crew_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

#endif
