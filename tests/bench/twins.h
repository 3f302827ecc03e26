/* SPDX-License-Identifier: MIT */
/*
 * Two pinned threads at PLACE_A and PLACE_B, for twins.py: KIND_A and KIND_B
 * are their accesses, with steps of a chain of dependent instructions behind: as
 * many as the arguments say, or the text of FIXED_A and FIXED_B.
 *
 *   twin WORK_A WORK_B MILLISECONDS [ACCESSES_A:ACCESSES_B]
 *
 * The threads go before all others, if the system lets them.
 * Prints the CPU time of the slower thread in ns, the accesses, and "quiet" if
 * both had their cores to themselves.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct job {
	pthread_t thread;
	int core;
	unsigned work;
	uint64_t accesses, cpu_ns, wall_ns;
	long *place;
	void (*run)(struct job *);
};

static pthread_barrier_t start;
static long sink;

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The compiler must leave each access where it is. */
#define MIX y ^= y << 13, y ^= y >> 7, y ^= y << 17;
#define TOLD                                                                                                 \
	for (unsigned w = j->work; w--;)                                                                     \
		__asm__ volatile("imulq $3, %0, %0\n\taddq $1, %0" : "+r"(y));
#ifndef FIXED_A
#define FIXED_A TOLD
#define FIXED_B TOLD
#endif
#define EACH(access, work)                                                                                   \
	do {                                                                                                 \
		unsigned long x = 1, y = 1;                                                                  \
		long *p = j->place;                                                                          \
		for (uint64_t i = 0; i < j->accesses; i++) {                                                 \
			access;                                                                              \
			__asm__ volatile("" ::: "memory");                                                   \
			work                                                                                 \
		}                                                                                            \
		sink += (long)(x + y);                                                                       \
	} while (0)

static void run_a(struct job *j)
{
	EACH(KIND_A, FIXED_A);
}

static void run_b(struct job *j)
{
	EACH(KIND_B, FIXED_B);
}

static void *body(void *arg)
{
	struct job *j = arg;
	cpu_set_t set;
	uint64_t cpu, wall;

	CPU_ZERO(&set);
	CPU_SET(j->core, &set);
	sched_setaffinity(0, sizeof(set), &set);
	sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){10});
	pthread_barrier_wait(&start);
	cpu = now(CLOCK_THREAD_CPUTIME_ID);
	wall = now(CLOCK_MONOTONIC);
	j->run(j);
	j->wall_ns = now(CLOCK_MONOTONIC) - wall;
	j->cpu_ns = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
	return NULL;
}

/* Accesses that take @ms on a line of its own. */
static uint64_t fit(struct job j, unsigned ms)
{
	static long own[64] __attribute__((aligned(128)));
	uint64_t best = UINT64_MAX;

	j.place = own;
	j.accesses = 2000000 / (16 + j.work);
	for (int i = 0; i < 7; i++) {
		uint64_t t = now(CLOCK_THREAD_CPUTIME_ID);

		j.run(&j);
		t = now(CLOCK_THREAD_CPUTIME_ID) - t;
		best = t < best ? t : best;
	}
	return (uint64_t)((double)j.accesses * ms * 1e6 / (double)best);
}

int main(int argc, char **argv)
{
	struct job jobs[2] = {{.core = 0, .run = run_a}, {.core = 1, .run = run_b}};
	int quiet = 1;

	if (argc < 4)
		return 2;
	SETUP
	jobs[0].place = (long *)PLACE_A;
	jobs[1].place = (long *)PLACE_B;
	pthread_barrier_init(&start, NULL, 2);
	for (int i = 0; i < 2; i++) {
		jobs[i].work = (unsigned)atoi(argv[1 + i]);
		jobs[i].accesses = argc > 4 ? strtoull(i ? strchr(argv[4], ':') + 1 : argv[4], NULL, 10)
					    : fit(jobs[i], (unsigned)atoi(argv[3]));
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&jobs[i].thread, NULL, body, &jobs[i]);
	for (int i = 0; i < 2; i++) {
		pthread_join(jobs[i].thread, NULL);
		quiet &= (double)jobs[i].cpu_ns >= 0.96 * (double)jobs[i].wall_ns;
	}
	printf("%llu %llu:%llu %s\n",
	       (unsigned long long)(jobs[0].cpu_ns > jobs[1].cpu_ns ? jobs[0].cpu_ns : jobs[1].cpu_ns),
	       (unsigned long long)jobs[0].accesses, (unsigned long long)jobs[1].accesses,
	       quiet ? "quiet" : "disturbed");
	return 0;
}
