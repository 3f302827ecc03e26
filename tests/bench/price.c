/* SPDX-License-Identifier: MIT */
/*
 * Two pinned threads, each at its own counter, with other work between the
 * accesses.  Built twice: the counters on one line, or (PADDED) on two.
 *
 *   price KIND WORK_A WORK_B MILLISECONDS
 *
 * KIND: store, rmw, atomic, read (the second thread only reads); WORK: steps of
 * a chain of dependent instructions after each access.  The number of accesses
 * is what fits into the time on lines of their own, so that both builds do the
 * same work; a number of accesses, or two with a colon between, may stand behind
 * it instead.  With a next argument "first" the threads go before all others, if the
 * system lets them; with "same" behind it both are on one core.  Prints the CPU time of
 * the slower thread in ns (on one core: of both), the accesses, and "quiet" if both
 * threads had their cores to themselves.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef PADDED
#define APART _Alignas(128)
#else
#define APART
#endif

struct counters {
	APART long left;
	APART long right;
} counters __attribute__((aligned(128)));

struct job {
	pthread_t thread;
	int core;
	unsigned work;
	uint64_t accesses;
	uint64_t cpu_ns, wall_ns;
	long *counter;
	void (*run)(struct job *);
};

static pthread_barrier_t start;
static long sink;
static int first;

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline unsigned long other_work(unsigned long x, unsigned steps)
{
	while (steps--)
		__asm__ volatile("imulq $3, %0, %0\n\taddq $1, %0" : "+r"(x));
	return x;
}

/* The compiler must leave each access where it is. */
#define EACH(access)                                                                                         \
	do {                                                                                                 \
		unsigned long x_ = 1;                                                                        \
		for (uint64_t i_ = 0; i_ < j->accesses; i_++) {                                              \
			access;                                                                              \
			__asm__ volatile("" ::: "memory");                                                   \
			x_ = other_work(x_, j->work);                                                        \
		}                                                                                            \
		sink += (long)x_;                                                                            \
	} while (0)

static void run_store(struct job *j)
{
	EACH(*j->counter = (long)i_);
}

static void run_rmw(struct job *j)
{
	EACH(++*j->counter);
}

static void run_atomic(struct job *j)
{
	EACH(__atomic_fetch_add(j->counter, 1, __ATOMIC_RELAXED));
}

static void run_read(struct job *j)
{
	EACH(x_ += (unsigned long)*j->counter);
}

static void *body(void *arg)
{
	struct job *j = arg;
	cpu_set_t set;
	uint64_t cpu, wall;

	CPU_ZERO(&set);
	CPU_SET(j->core, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(3);
	if (first)
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
static uint64_t calibrate(struct job j, unsigned ms)
{
	static long own[64] __attribute__((aligned(128)));
	uint64_t best = UINT64_MAX;

	j.counter = own;
	j.accesses = 20000000 / (16 + j.work);
	for (int i = 0; i < 7; i++) {
		uint64_t t = now(CLOCK_THREAD_CPUTIME_ID);

		j.run(&j);
		t = now(CLOCK_THREAD_CPUTIME_ID) - t;
		best = t < best ? t : best;
	}
	return (uint64_t)((double)j.accesses * ms * 1e6 / (double)best);
}

static uint64_t needed(const struct job jobs[2])
{
	uint64_t a = jobs[0].cpu_ns, b = jobs[1].cpu_ns;

	return jobs[0].core == jobs[1].core ? a + b : a > b ? a : b;
}

static int quiet(const struct job *j)
{
	return (double)j->cpu_ns >= 0.96 * (double)j->wall_ns;
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = {"store", "rmw", "atomic", "read"};
	void (*const bodies[][2])(struct job *) = {
		{run_store, run_store}, {run_rmw, run_rmw}, {run_atomic, run_atomic}, {run_rmw, run_read}};
	struct job jobs[2] = {{.core = 0, .counter = &counters.left},
			      {.core = 1, .counter = &counters.right}};
	int kind = -1;

	for (int i = 0; argc > 4 && i < 4; i++)
		if (!strcmp(argv[1], kinds[i]))
			kind = i;
	if (kind < 0 || argc > 8)
		return 2;
	first = argc > 6 && !strcmp(argv[6], "first");
	if (argc > 7 && !strcmp(argv[7], "same"))
		jobs[1].core = jobs[0].core;
	pthread_barrier_init(&start, NULL, 2);
	for (int i = 0; i < 2; i++) {
		jobs[i].work = (unsigned)atoi(argv[2 + i]);
		jobs[i].run = bodies[kind][i];
		/* A number given makes both builds and all runs do the same. */
		jobs[i].accesses =
			argc > 5 ? strtoull(strchr(argv[5], ':') && i ? strchr(argv[5], ':') + 1 : argv[5],
					    NULL, 10)
				 : calibrate(jobs[i], (unsigned)atoi(argv[4]));
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&jobs[i].thread, NULL, body, &jobs[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(jobs[i].thread, NULL);
	printf("%llu %llu:%llu %s\n", (unsigned long long)needed(jobs), (unsigned long long)jobs[0].accesses,
	       (unsigned long long)jobs[1].accesses,
	       quiet(&jobs[0]) && quiet(&jobs[1]) ? "quiet" : "disturbed");
	return 0;
}
