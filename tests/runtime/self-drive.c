/* SPDX-License-Identifier: MIT */
/*
 * self-drive DIR: two threads make calls through a second copy of the runtime,
 * which records into DIR and is itself the program under test: its memory
 * accesses carry probes, and the ordinary runtime watches them.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/runtime/probe.h"

enum { SITE_OUTER, SITE_INNER, SITE_INDIRECT, N_SITES };

/* The text in assembler behind the descriptor does the same, but carries no probes. */
uint64_t rt_enter(const struct prs_desc *d, uint32_t site, const void *target);
void rt_leave(const struct prs_desc *d, uint32_t site, uint64_t token);

static struct prs_desc desc = {.version = PRS_ABI_VERSION, .n_calls = N_SITES, .unit_id = 0x5e1f};
static pthread_barrier_t together;

static uint64_t enter(uint32_t site, const void *target)
{
	struct prs_block *b = probe_block(&desc);

	return b && !probe_countdown((struct prs_slot *)((char *)b + desc.base) + site)
		       ? 0
		       : rt_enter(&desc, site, target);
}

static void leave(uint32_t site, uint64_t token)
{
	if (token)
		rt_leave(&desc, site, token);
}

static void pair(uint32_t site, const void *target)
{
	uint64_t token = enter(site, target);

	__asm__ volatile("");
	leave(site, token);
}

static void *caller(void *arg)
{
	pair(SITE_INNER, NULL); /* the block is there before the two meet */
	pthread_barrier_wait(&together);
	for (int i = 0; i < 500000; i++) {
		uint64_t token = enter(SITE_OUTER, NULL);

		pair(SITE_INNER, NULL);
		pair(SITE_INDIRECT, i % 2 ? (void *)0x1000 : (void *)0x2000);
		leave(SITE_OUTER, token);
	}
	pthread_barrier_wait(&together);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t id;

	if (argc < 2 || setenv("PERSEUS_RUN_DIR", argv[1], 1) || setenv("PERSEUS_PURPOSE", "timing", 1) ||
	    setenv("PERSEUS_PERIOD", "1", 1))
		return 2;
	__prs_attach(&desc);
	if (!desc.tls || pthread_barrier_init(&together, NULL, 2) || pthread_create(&id, NULL, caller, NULL))
		return 3;
	caller(NULL);
	pthread_join(id, NULL);
	return 0;
}
