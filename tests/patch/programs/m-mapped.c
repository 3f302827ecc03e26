/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "two.h"
#include <sys/mman.h>

static long *slots;

static void *run(void *arg)
{
	long i, me = (long)arg;

	for (i = 0; i < TURNS; i++) {
		slots[me]++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	int bad;

	slots = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (slots == MAP_FAILED)
		return 3;
	slots[511] = 7;
	mine(0, &slots[0], 8);
	mine(1, &slots[1], 8);
	bad = two(run, NULL, run, (void *)1) | (slots[511] != 7);
	munmap(slots, 4096);
	return bad;
}
