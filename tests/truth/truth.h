/* SPDX-License-Identifier: MIT */
/* What every generated program needs beside crew.h. */
#ifndef TRUTH_H
#define TRUTH_H

#define AT_LINE __attribute__((aligned(64)))

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/* `@ CELL THREAD ADDRESS SIZE`: thread ID uses these bytes of CELL. One write: lines of two threads are not mixed. */
static NOIPA void say(const char *cell, int id, const volatile void *p, size_t bytes)
{
	char line[128];
	int n = snprintf(line, sizeof(line), "@ %s %d %lx %lx\n", cell, id, (unsigned long)(uintptr_t)p, (unsigned long)bytes);

	if (write(1, line, (size_t)n) != n)
		exit(3);
}

static NOIPA void sink(long x)
{
	__asm__ volatile("" ::"r"(x));
}

/* A number that the compiler does not know. */
__attribute__((unused)) static NOIPA size_t some(size_t n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

/* A team of OpenMP waits for its last thread here, apart from everything else. */
__attribute__((unused)) static AT_LINE struct {
	int here;
	char apart[60];
} spin_gate;
__attribute__((unused)) static int spin_team;

__attribute__((unused)) static NOIPA void spin_up(void)
{
	__atomic_add_fetch(&spin_gate.here, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&spin_gate.here, __ATOMIC_SEQ_CST) < spin_team)
		usleep(100);
}

/* Where blocks begin in a line depends on what was allocated before: SHIFT bytes more. */
__attribute__((constructor, unused)) static void shift_heap(void)
{
	const char *bytes = getenv("SHIFT");

	if (bytes)
		sink((long)(intptr_t)malloc((size_t)atoi(bytes)));
}

/* How much processor time the threads had: on a busy machine they hardly meet. */
static int64_t cpu_began[2];

__attribute__((unused)) static void begin(void)
{
	cpu_began[0] = crew_clock(CLOCK_PROCESS_CPUTIME_ID);
	cpu_began[1] = crew_clock(CLOCK_MONOTONIC);
}

__attribute__((unused)) static int end(void)
{
	printf("cpu %ld %ld\n", (long)(crew_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu_began[0]),
	       (long)(crew_clock(CLOCK_MONOTONIC) - cpu_began[1]));
	return 0;
}

#endif
