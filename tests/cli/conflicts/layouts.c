/* SPDX-License-Identifier: MIT */
/* Two threads, and their data side by side in declarations of many forms. */
#include "inc/first.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "inc/types.h"

#define LINE __attribute__((aligned(64)))

static stats_t stats LINE;
static struct outer outer LINE;
static struct plain plain LINE;
static struct room room LINE;
static struct deep deep LINE;
static volatile long start[3] LINE = {1, [1] = (2), 3};
static volatile long *parts[2] LINE;
static struct maybe maybe LINE;
static struct partly partly LINE;
static struct made made LINE;
static struct {
	volatile long in;
	volatile long out;
} queue LINE;
static volatile long single LINE, other;
long volatile rows[2][3] LINE;
static struct {
	volatile long n;
} each[2][1] LINE;
static port_t *ports LINE;
static struct gauge gauge LINE;
static struct wide *wide LINE;
static struct worker *workers LINE;
static struct worker table[2] LINE;
static pthread_barrier_t both;

static int turns(void)
{
	static volatile long calls[2];

	calls[0]++;
	return (int)(sizeof(calls) / sizeof(calls[0]));
}

static void *run(void *arg)
{
	static volatile long count[2] LINE = {0};
	long id = (long)arg;
	int first = go_first(id);

	pthread_barrier_wait(&both);
	for (long i = 0; i < 1000000; i++) {
		/* Else the threads may have one core between them. */
		if (!first && i % 256 == 0)
			sched_yield();
		if (id) {
			stats.hits++;
			outer.in.a++;
			plain.x++;
			deep.way.up++;
			maybe.a++;
			partly.a++;
			made.left++;
			queue.in++;
			wide[1].first++;
			gauge.in++;
			gauge.in_errors++;
			single++;
		} else {
			stats.misses++;
			outer.deep.y++;
			plain.y++;
			deep.way.down++;
			maybe.b++;
			partly.b++;
			made.right++;
			queue.out++;
			wide[0].last++;
			gauge.out++;
			gauge.out_errors++;
			other++;
		}
		workers[id].done++;
		table[id].done++;
		each[id][0].n++;
		ports[id].sent++;
		rows[id][1]++;
		count[id]++;
		room.seats[id].served++;
		start[id]++;
		*parts[id] += 1;
	}
	return NULL;
}

int main(void)
{
	volatile long part[2] LINE = {0, 0};
	pthread_t t[2];

	parts[0] = &part[0];
	parts[1] = &part[1];
	workers = malloc(2 * sizeof(*workers));
	for (int i = 0; i < 2; i++)
		workers[i] = (struct worker){0, "w"};
	ports = calloc(2, sizeof(*ports));
	wide = aligned_alloc(64, 2 * sizeof(*wide) + 96);
	for (int i = 0; i < 2; i++)
		wide[i] = (struct wide){.first = i};
	pthread_barrier_init(&both, NULL, 2);
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%ld %ld %ld %ld %s %d\n", stats.hits + stats.misses, room.seats[0].served + deep.way.up, part[1] + start[2], workers[0].done + rows[1][1] + single + other + each[1][0].n + ports[0].sent + wide[1].first,
	       workers[1].name, turns());
	return 0;
}
