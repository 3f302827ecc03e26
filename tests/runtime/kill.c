/* SPDX-License-Identifier: MIT */
/*
 * kill PAGE ROUNDS: makes calls of several kinds in three threads at a time
 * and notes each step in PAGE before and after it.  Built with the plugin;
 * killer.c ends it at a random instant and compares.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/runtime/kill.h"

#define WORKERS     2
#define MEETINGS    4
#define BLOCK_TURNS 240000 /* above the threshold of the log, wherever a store is forwarded in no time */

#ifndef KILL_LIES
#define KILL_LIES 0 /* calls noted and not made: the test of the test */
#endif

static struct kill_page *page;
static pthread_barrier_t meeting;
static volatile uint64_t sink;

#define barrier() __asm__ volatile("" ::: "memory")

/* Note a call before and after it: a kill finds `begun` at most one above `done`. */
#define CALL(lane, f, call)                                                                                  \
	do {                                                                                                 \
		(lane)->stack[(lane)->depth] = (f);                                                          \
		(lane)->begun[f]++;                                                                          \
		barrier();                                                                                   \
		(lane)->depth++;                                                                             \
		barrier();                                                                                   \
		call;                                                                                        \
		barrier();                                                                                   \
		(lane)->depth--;                                                                             \
		barrier();                                                                                   \
		(lane)->done[f]++;                                                                           \
		barrier();                                                                                   \
	} while (0)

__attribute__((noipa)) void leaf(uint64_t n)
{
	while (n--)
		sink = sink + n;
}

/* Long enough for the block log, and without a call inside. */
__attribute__((noipa)) void block(uint64_t n)
{
	while (n--)
		sink = sink + n;
}

__attribute__((noipa)) void by_pointer(uint64_t n)
{
	sink = sink + n;
}

__attribute__((noipa)) void nest(struct kill_lane *lane, uint64_t levels)
{
	if (levels > 1)
		CALL(lane, KILL_NEST, nest(lane, levels - 1));
	else
		CALL(lane, KILL_BLOCK, block(BLOCK_TURNS));
}

static void (*volatile pointer)(uint64_t) = by_pointer;

static void turn(struct kill_lane *lane)
{
	lane->begun[KILL_LEAF] += KILL_LIES;
	lane->done[KILL_LEAF] += KILL_LIES;
	for (int i = 0; i < 30; i++)
		CALL(lane, KILL_LEAF, leaf(20));
	CALL(lane, KILL_NEST, nest(lane, 8));
	CALL(lane, KILL_INDIRECT, pointer(3));
}

static void work(struct kill_lane *lane)
{
	for (int i = 0; i < 6; i++)
		turn(lane);
}

static void meet(struct kill_lane *lane)
{
	lane->barriers_begun++;
	barrier();
	pthread_barrier_wait(&meeting);
	barrier();
	lane->barriers_done++;
}

static void *worker(void *arg)
{
	struct kill_lane *lane = arg;

	lane->started = 1;
	barrier();
	for (int i = 0; i < MEETINGS; i++) {
		work(lane);
		meet(lane);
	}
	lane->ended = 1;
	return NULL;
}

static void nap(void)
{
	struct timespec ts = {0, 200000};

	page->slept_begun++;
	barrier();
	nanosleep(&ts, NULL);
	barrier();
	page->slept_done++;
}

static void round_of(uint32_t *lanes)
{
	pthread_t id[WORKERS];

	for (int i = 0; i < WORKERS; i++) {
		page->created_begun++;
		barrier();
		if (pthread_create(&id[i], NULL, worker, &page->lane[*lanes]))
			_exit(3);
		barrier();
		page->created_done++;
		++*lanes;
	}
	for (int i = 0; i < MEETINGS; i++) {
		work(&page->lane[0]);
		meet(&page->lane[0]);
	}
	for (int i = 0; i < WORKERS; i++) {
		page->joined_begun++;
		barrier();
		pthread_join(id[i], NULL);
		barrier();
		page->joined_done++;
	}
	nap();
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_RDWR) : -1, rounds = argc == 3 ? atoi(argv[2]) : 0;
	uint32_t lanes = 1;

	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED || pthread_barrier_init(&meeting, NULL, WORKERS + 1))
		return 2;
	page->lane[0].started = 1;
	barrier();
	page->pid = (uint32_t)getpid();
	for (int i = 0; i < rounds && lanes + WORKERS <= KILL_LANES; i++)
		round_of(&lanes);
	page->finished = 1;
	return 0;
}
