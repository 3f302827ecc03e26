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

enum { SITE_FIRST, SITE_SECOND, SITE_READ, SITE_STRADDLE, SITE_PASSED, N_SITES = SITE_PASSED + 60 };
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

/* One thread after the other on the same data: handoffs, no fight. */
static int serial(void)
{
	static const struct job j = {SITE_FIRST, PRS_KIND_RMW, 0, 0};

	for (int i = 0; i < 50; i++)
		if (run(&j, 1))
			return 1;
	return 0;
}

#define PASSED_LINES  600u /* times as many sites: more than the tables have room for */
#define PASSED_ROUNDS 16u

static void fill(uint32_t site)
{
	for (uint64_t i = 0; i < PASSED_LINES; i++)
		probe_mem(&desc, site, (const void *)((0x50000000u + i) << PRS_LINE_SHIFT), PRS_KIND_STORE,
			  8);
}

/* By turns with another thread. */
static void fill_all(int first)
{
	for (uint32_t i = 0; i < PASSED_ROUNDS * (N_SITES - SITE_PASSED); i++) {
		if (first)
			fill(SITE_PASSED + i % (N_SITES - SITE_PASSED));
		pthread_barrier_wait(&together);
		if (!first)
			fill(SITE_PASSED + i % (N_SITES - SITE_PASSED));
		pthread_barrier_wait(&together);
	}
}

/* Many lines are passed on between the threads, a few times each; then the same threads fight for one. */
static void *then_work(void *arg)
{
	fill_all(1);
	return work(arg);
}

static int passed_on(void)
{
	static const struct job jobs[] = {{SITE_FIRST, PRS_KIND_RMW, 0, 0},
					  {SITE_SECOND, PRS_KIND_RMW, 1, 1}};
	pthread_t id;

	pthread_barrier_init(&together, NULL, 2);
	if (pthread_create(&id, NULL, then_work, (void *)&jobs[0]))
		return 1;
	fill_all(0);
	work((void *)&jobs[1]);
	pthread_join(id, NULL);
	printf("line=%lx\n", (unsigned long)((uintptr_t)&data >> 6));
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

#define LIVE  20000u
#define FREED 400000u

static void *block(unsigned i)
{
	return (void *)((uintptr_t)0x10000000 + 48 * (uintptr_t)i);
}

/* Many blocks live for long, one after the other, and nobody else sees them; one that is fought for is freed at the end. */
static int blocks(void)
{
	desc.note(&desc, 1, (void *)&data, sizeof(data), PRS_NOTE_ALLOC);
	for (unsigned i = 0; i < FREED + LIVE; i++) {
		if (i >= LIVE)
			desc.note(&desc, 1, block(i - LIVE), 0, PRS_NOTE_FREE);
		if (i < FREED)
			desc.note(&desc, 0, block(i), 40, PRS_NOTE_ALLOC);
	}
	if (run((const struct job[]){{SITE_FIRST, PRS_KIND_RMW, 0, 0}, {SITE_SECOND, PRS_KIND_RMW, 1, 1}}, 2))
		return 1;
	desc.note(&desc, 1, (void *)&data, 0, PRS_NOTE_FREE);
	return 0;
}

/* A million blocks live at once; one in their midst was allocated by another site. */
static int million(void)
{
	for (unsigned i = 0; i < 1000000; i++)
		desc.note(&desc, i == 500000, block(i), 40, PRS_NOTE_ALLOC);
	return 0;
}

/*
 * Two threads load and store at random to lines of which some have one word of the
 * directory with another.  When both stand still nobody's tags may allow what the directory does
 * not: a store while another thread has a tag, a load of a line that another one
 * stores to, or either of a line that was pushed out.
 */
#define TAG_THREADS 2
#define TAG_LINES   64u
#define TAG_PAIRS   8u
static struct {
	uint8_t load, store;
} tags[TAG_LINES][TAG_THREADS];

static uint64_t tag_line(unsigned i)
{
	return i < TAG_PAIRS ? 0x40000000u + i / 2 + (uint64_t)(i % 2) * PRS_DIR_WORDS : 0x40000000u + i;
}

static int is_past(const struct timespec *end)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > end->tv_sec || (now.tv_sec == end->tv_sec && now.tv_nsec >= end->tv_nsec);
}

static void *tagger(void *arg)
{
	const struct job *j = arg;
	const struct prs_sharer *s;
	uint32_t random = j->me + 1;
	struct timespec end;

	pthread_barrier_wait(&together);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += (time_t)rounds;
	for (uint32_t i = 0; i % 1024 || !is_past(&end); i++) {
		random = random * 1664525 + 1013904223;
		probe_mem(&desc, j->site,
			  (const void *)(tag_line(random >> 8 & (TAG_LINES - 1)) << PRS_LINE_SHIFT),
			  random >> 31 ? PRS_KIND_LOAD : PRS_KIND_STORE, 8);
	}
	pthread_barrier_wait(&together);
	s = probe_sharer(&desc);
	for (unsigned i = 0; i < TAG_LINES; i++) {
		tags[i][j->me].load = s->load_tag[tag_line(i) % PRS_TAGS] == (uint32_t)tag_line(i);
		tags[i][j->me].store = s->store_tag[tag_line(i) % PRS_TAGS] == (uint32_t)tag_line(i);
	}
	return NULL;
}

static int check_tags(void)
{
	const uint64_t *dir = (const uint64_t *)desc.dir;
	unsigned found = 0, wrong = 0;

	for (unsigned i = 0; i < TAG_LINES; i++) {
		uint64_t word = dir[tag_line(i) % PRS_DIR_WORDS];
		unsigned loads = 0, stores = 0;

		for (unsigned k = 0; k < TAG_THREADS; k++) {
			loads += tags[i][k].load;
			stores += tags[i][k].store;
		}
		found += loads + stores;
		wrong += (loads || stores) && word >> PRS_DIR_TAG != tag_line(i);
		wrong += loads > (unsigned)__builtin_popcountll(word & (PRS_DIR_MODIFIED - 1));
		wrong += stores > !!(word & PRS_DIR_MODIFIED);
	}
	printf("tags=%u wrong=%u\n", found, wrong);
	return 0;
}

static int tag_race(void)
{
	static const struct job jobs[TAG_THREADS] = {{SITE_FIRST, 0, 0, 0}, {SITE_SECOND, 0, 0, 1}};
	pthread_t id[TAG_THREADS];

	pthread_barrier_init(&together, NULL, TAG_THREADS);
	for (unsigned i = 0; i < TAG_THREADS; i++)
		if (pthread_create(&id[i], NULL, tagger, (void *)&jobs[i]))
			return 1;
	for (unsigned i = 0; i < TAG_THREADS; i++)
		pthread_join(id[i], NULL);
	return check_tags();
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
	if (!strcmp(what, "passed"))
		return passed_on();
	if (!strcmp(what, "tags"))
		return desc.mem ? tag_race() : 0;
	if (!strcmp(what, "notes"))
		return desc.note ? notes() : 0;
	if (!strcmp(what, "blocks"))
		return desc.note ? blocks() : 0;
	if (!strcmp(what, "million"))
		return desc.note ? million() : 0;
	return 2;
}
