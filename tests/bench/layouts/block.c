/* SPDX-License-Identifier: MIT */
/* Fields of one struct on the heap, with an atomic operation on each side. */
#include "crew.h"

struct queue {
	long head APART;
	long tail APART;
	int size;
};
static struct queue *queue;

static void setup(void)
{
	queue = (struct queue *)BLOCK(1, sizeof(*queue));
	queue->head = queue->tail = 0;
	queue->size = 3;
}

static void first(unsigned long n)
{
	__atomic_fetch_add(&queue->head, (long)(n & 7), __ATOMIC_SEQ_CST);
}

static void second(unsigned long n)
{
	__atomic_fetch_add(&queue->tail, (long)(n & 3), __ATOMIC_SEQ_CST);
}

static void show(void)
{
	printf("%ld %ld %d\n", queue->head, queue->tail, queue->size);
	free(queue);
}
