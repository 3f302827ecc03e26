/* SPDX-License-Identifier: MIT */
/*
 * mates [SIZE]: four threads count in two stages, with a barrier between.  In each stage a
 * thread has a mate whose counter lies in the same cache line (false sharing), and in the
 * second stage it is another one: threads 0 and 1, 2 and 3; then 0 and 3, 1 and 2.
 * On standard error each thread says on which cores it might run: `wN STAGE1 STAGE2`.
 *
 * The whole way from here to a program that is placed as planned (tests/cli/way.sh):
 *
 *   make O=probed CFLAGS="-O2 -g $(perseus flags --cflags)"
 *   perseus record -o timing probed/mates && perseus record -o sharing --purpose=sharing probed/mates 3
 *   perseus calibrate -o platform.yaml && perseus analyze timing sharing -o model.yaml
 *   perseus plan model.yaml -p platform.yaml -o plan.yaml
 *   perseus try plan.yaml -- probed/mates                  what does it do?  No rebuild
 *   perseus codegen plan.yaml -o triggers                  what flies
 *   make O=planned CFLAGS="..." EXTRA_OBJS="..."           perseus-codegen(1)
 *   perseus verify plan.yaml planned/mates && perseus prove plain/mates planned/mates
 *
 * Checks its own counts; exit status 1 if one is wrong.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define STAGES  2
#define LINE    64
#define BLOCK   100000 /* counts a call of count() */
#define BLOCKS  100    /* calls a stage, times SIZE */

struct mates {
	_Alignas(LINE) atomic_ulong left;
	atomic_ulong right;
};

static struct mates mates[STAGES][THREADS / 2];
static pthread_barrier_t barrier;
static unsigned long blocks;
static char seen[THREADS][STAGES][256]; /* cores that a thread may use */

static void look(char *text)
{
	cpu_set_t mask;
	int n = 0;

	sched_getaffinity(0, sizeof(mask), &mask);
	for (int i = 0; i < CPU_SETSIZE && n < 240; i++)
		if (CPU_ISSET(i, &mask))
			n += sprintf(text + n, "%s%d", n ? "," : "", i);
}

static atomic_ulong *counter(int stage, int me)
{
	struct mates *m = &mates[stage][stage ? me == 1 || me == 2 : me / 2];

	return (stage ? me >= 2 : me % 2) ? &m->right : &m->left;
}

static void count(atomic_ulong *at)
{
	for (int i = 0; i < BLOCK; i++)
		atomic_fetch_add_explicit(at, 1, memory_order_relaxed);
}

static void *work(void *arg)
{
	int me = (int)(long)arg;

	for (int stage = 0; stage < STAGES; stage++) {
		if (stage)
			pthread_barrier_wait(&barrier);
		look(seen[me][stage]);
		for (unsigned long i = 0; i < blocks; i++)
			count(counter(stage, me));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	double size = argc > 1 ? strtod(argv[1], NULL) : 1.0;
	pthread_t thread[THREADS];
	int bad = 0;

	if (argc > 2 || !(size > 0.0 && size <= 1000.0)) {
		fprintf(stderr, "usage: mates [SIZE]   (0 < SIZE <= 1000)\n");
		return 2;
	}
	blocks = (unsigned long)(BLOCKS * size) + 1;
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, work, (void *)i)) {
			perror("mates: pthread_create");
			return 1;
		}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < THREADS; i++)
		fprintf(stderr, "w%d %s %s\n", i, seen[i][0], seen[i][1]);
	for (int stage = 0; stage < STAGES; stage++)
		for (int i = 0; i < THREADS; i++)
			bad |= atomic_load(counter(stage, i)) != blocks * BLOCK;
	printf("mates: %d threads counted %lu in each stage: %s\n", THREADS, blocks * BLOCK,
	       bad ? "WRONG" : "right");
	return bad;
}
