/* SPDX-License-Identifier: MIT */
/*
 * A ring that one thread writes and another follows.  Each keeps a copy of the
 * other's index and looks at the real one every hundred thousand steps, so that the two
 * indices hardly ever mean the same bytes, but they lie in one line.
 */
#include "crew.h"

struct ring {
	unsigned head; /* the writer's */
	APART unsigned tail; /* the reader's */
};

static ALIGNED struct ring ring;
static ALIGNED long written[512];
static ALIGNED long seen;

static NOIPA void publish(void)
{
	ring.head++; /* <- */
}

static NOIPA void release(void)
{
	ring.tail++; /* <- */
}

static NOIPA unsigned head_now(void)
{
	return __atomic_load_n(&ring.head, __ATOMIC_ACQUIRE); /* <- */
}

static NOIPA unsigned tail_now(void)
{
	return __atomic_load_n(&ring.tail, __ATOMIC_ACQUIRE); /* <- */
}

static void write_all(void)
{
	unsigned tail = 0, turn = 0;

	FOR_A_WHILE {
		for (int i = 0; i < 1000; i++) {
			written[i % 512] = tail;
			publish();
		}
		if (turn++ % 100 == 0)
			tail = tail_now();
	}
}

static void read_all(void)
{
	unsigned head = 0, turn = 0;
	long sum = 0;

	FOR_A_WHILE {
		for (int i = 0; i < 1000; i++) {
			sum += head;
			release();
		}
		if (turn++ % 100 == 0)
			head = head_now();
	}
	seen = sum;
}

static void work(int id)
{
	if (id)
		read_all();
	else
		write_all();
}

int main(void)
{
	crew(2, work);
	return ring.head == 0;
}
