/* SPDX-License-Identifier: MIT */
/* A new work array and new threads in each round, long after the first transfers of that line. */
#include "crew.h"

struct tally {
	long n;
#ifdef FIXED
	char apart[LINE];
#endif
};

static NOIPA void add(struct tally *t)
{
	t->n++; /* <- */
}

struct job {
	struct tally *tally;
	int id;
};

static void *adder(void *arg)
{
	struct job *job = arg;

	crew_pin(job->id);
	pthread_barrier_wait(&crew_gate);
	FOR_US(crew_run_us() / 10) for (int i = 0; i < 200; i++) add(&job->tally[job->id]);
	return NULL;
}

int main(void)
{
	pthread_barrier_init(&crew_gate, NULL, 2);
	for (int r = 0; r < 10; r++) {
		struct tally *all = aligned_alloc(LINE, 2 * LINE + 64);
		struct job jobs[2] = {{all, 0}, {all, 1}};
		pthread_t t[2];

		all[0].n = all[1].n = 0;
		for (int i = 0; i < 2; i++)
			pthread_create(&t[i], NULL, adder, &jobs[i]);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
		free(all);
	}
	return 0;
}
