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

/* Of the version whose probes call C functions: the text in assembler does the same, but carries no probes. */
static struct prs_desc desc = {.version = PRS_ABI_VERSION_C, .n_calls = N_SITES, .unit_id = 0x5e1f};
static pthread_barrier_t together;

static void pair(uint32_t site, const void *target)
{
	uint64_t token = probe_enter_to(&desc, site, target);

	__asm__ volatile("");
	probe_leave(&desc, site, token);
}

static void *caller(void *arg)
{
	pair(SITE_INNER, NULL); /* the block is there before the two meet */
	pthread_barrier_wait(&together);
	for (int i = 0; i < 500000; i++) {
		uint64_t token = probe_enter(&desc, SITE_OUTER);

		pair(SITE_INNER, NULL);
		pair(SITE_INDIRECT, i % 2 ? (void *)0x1000 : (void *)0x2000);
		probe_leave(&desc, SITE_OUTER, token);
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
