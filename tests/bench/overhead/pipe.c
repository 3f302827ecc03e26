/* SPDX-License-Identifier: MIT */
/* pipe ITEMS: three threads in a row, with a queue of 64 places under a mutex between each two. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define PLACES   64

struct queue {
	long item[PLACES];
	unsigned head, tail;
	pthread_mutex_t mutex;
	pthread_cond_t filled, emptied;
};
#define QUEUE                                                                                                \
	{                                                                                                    \
		.mutex = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER,                      \
		.emptied = PTHREAD_COND_INITIALIZER                                                          \
	}
static struct queue first = QUEUE, second = QUEUE;
static long items;

NOINLINE static void put(struct queue *q, long v)
{
	pthread_mutex_lock(&q->mutex);
	while (q->tail - q->head == PLACES)
		pthread_cond_wait(&q->emptied, &q->mutex);
	q->item[q->tail++ % PLACES] = v;
	pthread_cond_signal(&q->filled);
	pthread_mutex_unlock(&q->mutex);
}

NOINLINE static long get(struct queue *q)
{
	long v;

	pthread_mutex_lock(&q->mutex);
	while (q->tail == q->head)
		pthread_cond_wait(&q->filled, &q->mutex);
	v = q->item[q->head++ % PLACES];
	pthread_cond_signal(&q->emptied);
	pthread_mutex_unlock(&q->mutex);
	return v;
}

NOINLINE static long work(long v)
{
	unsigned long x = (unsigned long)v;

	for (int i = 0; i < 300; i++)
		x = x * 6364136223846793005ul + 1442695040888963407ul;
	return (long)(x >> 3);
}

static void *generate(void *unused)
{
	for (long i = 0; i < items; i++)
		put(&first, work(i) | 1);
	put(&first, 0);
	return unused;
}

static void *change(void *unused)
{
	long v;

	do {
		v = get(&first) ? work(3) | 1 : 0;
		put(&second, v);
	} while (v);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	long v, s = 0;

	items = argc > 1 ? atol(argv[1]) : 200000;
	pthread_create(&a, NULL, generate, NULL);
	pthread_create(&b, NULL, change, NULL);
	while ((v = get(&second)))
		s ^= work(v);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%ld\n", s);
	return 0;
}
