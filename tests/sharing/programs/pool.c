/* SPDX-License-Identifier: MIT */
/*
 * A pool of workers, each with a queue of its own: the indices of a queue are
 * small, so that several queues lie in one line.
 */
#include "crew.h"

#define WORKERS 4
#define TASKS 64

struct queue {
	APART unsigned short first, last;
	int done;
};

static ALIGNED struct queue queues[WORKERS];
static struct {
	ALIGNED long task[TASKS];
} tasks[WORKERS];

static NOIPA int put(struct queue *q, long *task, long v)
{
	if ((unsigned short)(q->last - q->first) == TASKS) /* <- */
		return 0;
	task[q->last++ % TASKS] = v; /* <- */
	return 1;
}

static NOIPA long take(struct queue *q, const long *task)
{
	q->done++; /* <- */
	return task[q->first++ % TASKS]; /* <- */
}

static void work(int id)
{
	long sum = 0;

	FOR_A_WHILE for (int i = 0; i < 50; i++) {
		for (int k = 0; k < 8; k++)
			put(&queues[id], tasks[id].task, k);
		for (int k = 0; k < 8; k++)
			sum += take(&queues[id], tasks[id].task);
	}
	if (sum == 0)
		abort();
}

int main(void)
{
	crew(WORKERS, work);
	return 0;
}
