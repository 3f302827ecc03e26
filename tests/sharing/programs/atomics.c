/* SPDX-License-Identifier: MIT */
/* C11 atomics, one for each of four threads, in one line. */
#include "crew.h"

#include <stdatomic.h>

struct slot {
	APART atomic_long done;
};

static ALIGNED struct slot progress[4];

static NOIPA void step(struct slot *s)
{
	atomic_fetch_add_explicit(&s->done, 1, memory_order_relaxed); /* <- */
}

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 500; i++)
		step(&progress[id]);
}

int main(void)
{
	crew(4, work);
	return progress[0].done == 0;
}
