/* SPDX-License-Identifier: MIT */
/* sharing SCENARIO [N [turns]]: two or more threads on one line, or not, in a sharing run. */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/runtime/probe.h"

enum { SITE_FIRST, SITE_SECOND, SITE_READ, SITE_STRADDLE, N_SITES };
#define MAX_THREADS 64

static struct prs_desc desc = {.version = PRS_ABI_VERSION, .n_calls = 2, .n_mems = N_SITES, .unit_id = 0x77};

static __attribute__((constructor(101))) void attach(void)
{
	if (__prs_attach)
		__prs_attach(&desc);
}

static struct {
	volatile uint64_t word[64];
} data __attribute__((aligned(4096)));

#define TURN 10 /* accesses before the other thread's turn */

static uint64_t rounds = 300000;
static int in_turns; /* the threads alternate: the number of transfers is known */
static volatile unsigned turn;
static pthread_barrier_t together;

struct job {
	uint32_t site, kind, word;
	unsigned me;
};

static void touch(const struct job *j)
{
	probe_mem(&desc, j->site, (const void *)&data.word[j->word], j->kind, 8);
	switch (j->kind) {
	case PRS_KIND_LOAD:
		(void)data.word[j->word];
		break;
	case PRS_KIND_ATOMIC:
		__atomic_fetch_add(&data.word[j->word], 1, __ATOMIC_RELAXED);
		break;
	default:
		data.word[j->word]++;
	}
}

static void await_turn(unsigned me)
{
	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != me)
		sched_yield();
}

static void *work(void *arg)
{
	const struct job *j = arg;

	pthread_barrier_wait(&together);
	for (uint64_t i = 0; i < rounds; i++) {
		if (in_turns && i % TURN == 0)
			await_turn(j->me);
		touch(j);
		if (in_turns && i % TURN == TURN - 1)
			__atomic_store_n(&turn, !j->me, __ATOMIC_RELEASE);
	}
	return NULL;
}

static int run(const struct job *jobs, unsigned n)
{
	pthread_t id[MAX_THREADS];
	struct timespec a, b;

	pthread_barrier_init(&together, NULL, n);
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (unsigned i = 0; i < n; i++)
		if (pthread_create(&id[i], NULL, work, (void *)&jobs[i]))
			return 1;
	for (unsigned i = 0; i < n; i++)
		pthread_join(id[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("line=%lx ns_per_access=%.1f\n", (unsigned long)((uintptr_t)&data >> 6),
	       ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / (double)rounds);
	return 0;
}

/* Forty threads, more than there are bits, each on its own word of five lines. */
static int crowd(void)
{
	struct job jobs[40];

	for (uint32_t i = 0; i < 40; i++)
		jobs[i] = (struct job){SITE_FIRST, PRS_KIND_RMW, i, 0};
	return run(jobs, 40);
}

/* One thread writes bytes 60 to 67, the other one byte 0 and byte 64, by turns. */
static void *straddler(void *arg)
{
	void *at = (char *)&data + 60;

	(void)arg;
	pthread_barrier_wait(&together);
	for (uint64_t i = 0; i < rounds; i++) {
		await_turn(0);
		probe_mem(&desc, SITE_STRADDLE, at, PRS_KIND_STORE, 8);
		__atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void *both_lines(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&together);
	for (uint64_t i = 0; i < rounds; i++) {
		await_turn(1);
		probe_mem(&desc, SITE_FIRST, (const void *)&data.word[0], PRS_KIND_STORE, 8);
		probe_mem(&desc, SITE_SECOND, (const void *)&data.word[8], PRS_KIND_STORE, 8);
		__atomic_store_n(&turn, 0, __ATOMIC_RELEASE);
	}
	return NULL;
}

static int split(void)
{
	pthread_t a, b;

	pthread_barrier_init(&together, NULL, 2);
	if (pthread_create(&a, NULL, straddler, NULL) || pthread_create(&b, NULL, both_lines, NULL))
		return 1;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("line=%lx next=%lx\n", (unsigned long)((uintptr_t)&data >> 6),
	       (unsigned long)(((uintptr_t)&data >> 6) + 1));
	return 0;
}

/* One thread after the other on the same data: hand-overs, no fight. */
static int serial(void)
{
	static const struct job j = {SITE_FIRST, PRS_KIND_RMW, 0, 0};

	for (int i = 0; i < 50; i++)
		if (run(&j, 1))
			return 1;
	return 0;
}

static int notes(void)
{
	for (int i = 0; i < 200000; i++) {
		desc.note(&desc, 1, (void *)(uintptr_t)(0x10000 + 64 * (i % 16)), 64, PRS_NOTE_ALLOC);
		desc.note(&desc, 1, (void *)(uintptr_t)(0x10000 + 64 * (i % 16)), 0, PRS_NOTE_FREE);
	}
	desc.note(&desc, 1, (void *)0xabc000, 4096, PRS_NOTE_ALLOC);
	return 0;
}

static const struct {
	const char *name;
	struct job jobs[2];
} pairs[] = {
	{"false", {{SITE_FIRST, PRS_KIND_RMW, 0, 0}, {SITE_SECOND, PRS_KIND_RMW, 1, 1}}},
	{"padded", {{SITE_FIRST, PRS_KIND_RMW, 0, 0}, {SITE_SECOND, PRS_KIND_RMW, 8, 1}}},
	{"true", {{SITE_FIRST, PRS_KIND_RMW, 0, 0}, {SITE_SECOND, PRS_KIND_RMW, 0, 1}}},
	{"atomic", {{SITE_FIRST, PRS_KIND_ATOMIC, 0, 0}, {SITE_SECOND, PRS_KIND_ATOMIC, 1, 1}}},
	{"reader", {{SITE_FIRST, PRS_KIND_STORE, 0, 0}, {SITE_READ, PRS_KIND_LOAD, 1, 1}}},
	{"readers", {{SITE_READ, PRS_KIND_LOAD, 0, 0}, {SITE_READ, PRS_KIND_LOAD, 1, 1}}},
};

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	in_turns = argc > 3 && !strcmp(argv[3], "turns");
	if (argc > 2)
		rounds = strtoull(argv[2], NULL, 10);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (!strcmp(what, pairs[i].name))
			return run(pairs[i].jobs, 2);
	if (!strcmp(what, "crowd"))
		return crowd();
	if (!strcmp(what, "split"))
		return split();
	if (!strcmp(what, "serial"))
		return serial();
	if (!strcmp(what, "notes"))
		return desc.note ? notes() : 0;
	return 2;
}
