/* SPDX-License-Identifier: MIT */
/*
 * Three objects of three types, one after the other in the same bytes: the
 * allocator gives away again what was freed.  Fields of the first are shared
 * falsely, the second is one word that both threads need, of the third each has
 * its own line.
 */
#include "crew.h"

#define ROUNDS 3

struct halves {
	APART long left;
	APART long right;
};

struct whole {
	long sum;
	long spare[15];
};

struct apart {
	ALIGNED long first;
	ALIGNED long second;
};

static pthread_barrier_t gate;
static void *block;

static NOIPA void halves_add(struct halves *h, int id)
{
	if (id)
		h->right++; /* <- */
	else
		h->left++; /* <- */
}

static NOIPA void whole_add(struct whole *w)
{
#ifdef FIXED
	(void)w;
#else
	__atomic_fetch_add(&w->sum, 1, __ATOMIC_RELAXED); /* <- */
#endif
}

static NOIPA void apart_add(struct apart *a, int id)
{
	if (id)
		a->second++;
	else
		a->first++;
}

static void round_begin(int id, void *new)
{
	pthread_barrier_wait(&gate);
	if (!id) {
		free(block);
		block = new;
	}
	pthread_barrier_wait(&gate);
}

static void work(int id)
{
	for (int i = 0; i < ROUNDS; i++) {
		int64_t us = crew_run_us() / 9;

		round_begin(id, id ? NULL : aligned_alloc(LINE, sizeof(struct halves) < 128 ? 128 : 192));
		FOR_US(us) for (int k = 0; k < 200; k++) halves_add(block, id);
		round_begin(id, id ? NULL : aligned_alloc(LINE, sizeof(struct whole)));
		FOR_US(us) for (int k = 0; k < 200; k++) whole_add(block);
		round_begin(id, id ? NULL : aligned_alloc(LINE, sizeof(struct apart)));
		FOR_US(us) for (int k = 0; k < 200; k++) apart_add(block, id);
	}
}

int main(void)
{
	pthread_barrier_init(&gate, NULL, 2);
	crew(2, work);
	return 0;
}
