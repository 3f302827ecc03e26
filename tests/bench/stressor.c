/* SPDX-License-Identifier: MIT */
/*
 * stressor KIND CORE SECONDS: interference on one core for at most SECONDS:
 *   memory   writes through 64 MiB, a line at a time: memory and last-level cache
 *   cache    reads 1 MiB in a scattered order: a shared second or last level
 *   system   system calls and page faults: the kernel's locks
 *   compute  arithmetic only: the core itself, its turbo, its hyperthread
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MEMORY ((size_t)64 << 20)
#define CACHE  ((size_t)1 << 20)
#define LINE   64u

static volatile uint64_t sink;

static void memory(char *area)
{
	for (size_t i = 0; i < MEMORY; i += LINE)
		area[i]++;
}

static void cache(const char *area)
{
	size_t at = 0;

	for (int i = 0; i < 100000; i++) {
		sink += (uint64_t)area[at];
		at = (at * 5 + 37 * LINE) % CACHE;
	}
}

static void kernel(void)
{
	for (int i = 0; i < 100; i++) {
		char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page == MAP_FAILED)
			exit(3);
		*page = 1;
		munmap(page, 4096);
		syscall(SYS_getppid);
	}
}

static void compute(void)
{
	uint64_t x = sink | 1;

	for (int i = 0; i < 100000; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	sink = x;
}

int main(int argc, char **argv)
{
	char *area = calloc(1, MEMORY);
	cpu_set_t set;

	if (argc != 4 || !area || atoi(argv[3]) < 1)
		return 2;
	CPU_ZERO(&set);
	CPU_SET(atoi(argv[2]), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return 3;
	alarm((unsigned)atoi(argv[3])); /* ends it, whatever becomes of who started it */
	for (;;)
		switch (argv[1][0]) {
		case 'm':
			memory(area);
			break;
		case 's':
			kernel();
			break;
		case 'c':
			if (argv[1][1] == 'a')
				cache(area);
			else
				compute();
			break;
		default:
			return 2;
		}
}
