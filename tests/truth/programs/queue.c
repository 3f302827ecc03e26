/* SPDX-License-Identifier: MIT */
/*
 * queue: one producer, three consumers, a bounded queue, and a log.
 * TRUTH:
 *  - produce() takes about 2 us per item outside any lock.
 *  - consume() works about 6 us per item outside any lock (digest()).
 *  - then write_log() holds log_lock for about 15 us per item: THE BOTTLENECK.
 *    log_lock serialises the consumers: run time >= items * 15 us whatever the cores.
 *  - queue_lock is held for well below 1 us: not a problem.
 *  - the producer is faster than the consumers, so it waits at not_full.
 *  - no false sharing is intended: log_bytes/log_lines are only touched under log_lock (true sharing).
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SLOTS 64
#define CONSUMERS 3

static struct {
	pthread_mutex_t lock;
	pthread_cond_t not_empty, not_full;
	uint64_t slot[SLOTS];
	unsigned head, used;
	int done;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0, 0};

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t log_lines, log_bytes;
static unsigned items = 4000;

static uint64_t spin(uint64_t x, unsigned n)
{
	while (n--)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

/* multiplier calibrated below so that work(us) takes about us microseconds */
static double per_us = 880;
static __attribute__((noinline)) uint64_t work(uint64_t x, double us) { return spin(x, (unsigned)(us * per_us)); }

static void push(uint64_t x)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.used == SLOTS)
		pthread_cond_wait(&queue.not_full, &queue.lock);
	queue.slot[(queue.head + queue.used++) % SLOTS] = x;
	pthread_cond_signal(&queue.not_empty);
	pthread_mutex_unlock(&queue.lock);
}

static int pop(uint64_t *x)
{
	pthread_mutex_lock(&queue.lock);
	while (!queue.used && !queue.done)
		pthread_cond_wait(&queue.not_empty, &queue.lock);
	if (!queue.used) {
		pthread_mutex_unlock(&queue.lock);
		return 0;
	}
	*x = queue.slot[queue.head];
	queue.head = (queue.head + 1) % SLOTS;
	queue.used--;
	pthread_cond_signal(&queue.not_full);
	pthread_mutex_unlock(&queue.lock);
	return 1;
}

static void *produce(void *arg)
{
	uint64_t x = 1;

	(void)arg;
	for (unsigned i = 0; i < items; i++)
		push(x = work(x, 2));
	pthread_mutex_lock(&queue.lock);
	queue.done = 1;
	pthread_cond_broadcast(&queue.not_empty);
	pthread_mutex_unlock(&queue.lock);
	return NULL;
}

static uint64_t digest(uint64_t x) { return work(x, 6); }

static void write_log(uint64_t x)
{
	pthread_mutex_lock(&log_lock);
	log_bytes += work(x, 15) & 127;
	log_lines++;
	pthread_mutex_unlock(&log_lock);
}

static void *consume(void *arg)
{
	uint64_t x, sum = 0;

	(void)arg;
	while (pop(&x)) {
		x = digest(x);
		write_log(x);
		sum ^= x;
	}
	return (void *)(uintptr_t)sum;
}

int main(int argc, char **argv)
{
	pthread_t p, c[CONSUMERS];
	struct timespec a, b;

	if (argc > 1)
		items = (unsigned)strtoul(argv[1], NULL, 0);
	pthread_create(&p, NULL, produce, NULL);
	for (int i = 0; i < CONSUMERS; i++)
		pthread_create(&c[i], NULL, consume, NULL);
	(void)a, (void)b;
	pthread_join(p, NULL);
	for (int i = 0; i < CONSUMERS; i++)
		pthread_join(c[i], NULL);
	printf("queue: %llu lines\n", (unsigned long long)log_lines);
	return log_lines != items;
}
