/* SPDX-License-Identifier: MIT */
/*
 * Blocks that are freed by one thread and given to another by the allocator:
 * the same bytes, but never at the same time.  The program's own pool hands
 * them out as malloc() would; the turns are given by a barrier.
 */
#include "crew.h"

#define TURNS 20

struct item {
	long hits;
	long misses;
};

static pthread_barrier_t turn;

static NOIPA void use(struct item *i, int field)
{
	if (field)
		i->misses++; /* <- */
	else
		i->hits++; /* <- */
}

#ifndef FIXED
static struct item *last;
#endif

static void work(int id)
{
	for (int t = 0; t < TURNS; t++) {
		pthread_barrier_wait(&turn);
#ifdef FIXED
		struct item *mine;

		if (t % 2 != id)
			continue;
		mine = realloc(calloc(1, sizeof(*mine)), sizeof(*mine) + 8);
#else
		/* Both use one block at the same time, a field each. */
		if (!id)
			last = calloc(1, sizeof(*last));
		pthread_barrier_wait(&turn);
		struct item *mine = last;
#endif
		FOR_US(crew_run_us() / TURNS)
			for (int i = 0; i < 1000; i++)
				use(mine, id);
#ifndef FIXED
		pthread_barrier_wait(&turn);
		if (!id)
			free(mine);
#else
		free(mine);
#endif
	}
}

int main(void)
{
	pthread_barrier_init(&turn, NULL, 2);
	crew(2, work);
	return 0;
}
