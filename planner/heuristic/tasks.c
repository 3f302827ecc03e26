/* SPDX-License-Identifier: MIT */
#include "planner/heuristic/tasks.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct tasks {
	atomic_uint next;
	uint32_t n;
	void (*run)(void *ctx, uint32_t i);
	void *ctx;
};

static void *work(void *arg)
{
	struct tasks *t = arg;
	uint32_t i;

	while ((i = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed)) < t->n)
		t->run(t->ctx, i);
	return NULL;
}

void tasks_run(uint32_t threads, uint32_t n, void (*run)(void *ctx, uint32_t i), void *ctx)
{
	struct tasks t = {.n = n, .run = run, .ctx = ctx};
	pthread_t id[TASKS_MAX_THREADS];
	uint32_t wanted = threads < n ? threads : n, others = 0;

	while (others + 1 < wanted && others < TASKS_MAX_THREADS - 1 &&
	       !pthread_create(&id[others], NULL, work, &t))
		others++;
	work(&t);
	for (uint32_t i = 0; i < others; i++)
		pthread_join(id[i], NULL);
}

uint32_t tasks_processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return CPU_COUNT(&set) > 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}
