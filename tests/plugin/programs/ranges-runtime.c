/* SPDX-License-Identifier: MIT */
/* The lines that a program touches, as it says itself or its probes do; compiled without the plugin. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "perseus/abi.h"
#include "ranges.h"

void prs_seen(uint32_t access, const void *first, uint64_t bytes, uint64_t count);

#define LINE 64

_Alignas(LINE) unsigned char mem[ARRAYS][ARRAY_SIZE];
static unsigned char lines[2][sizeof(mem) / LINE];
static unsigned long long times[2];

static void mark(int write, uint64_t at, uint64_t n)
{
	uint64_t from = at - (uint64_t)mem;

	if (!n || n > sizeof(mem) || from > sizeof(mem) - n) {
		printf("outside: %lld, %llu bytes\n", (long long)from, (unsigned long long)n);
		fflush(stdout);
		_Exit(3);
	}
	for (uint64_t i = from / LINE; i <= (from + n - 1) / LINE; i++)
		lines[write][i] = 1;
}

void *touch(int write, void *p, int n)
{
	mark(write, (uint64_t)p, (uint64_t)n);
	times[write]++;
	return p;
}

void tell(void)
{
	for (int w = 0; w < 2; w++) {
		printf("times %d %llu\n", w, times[w]);
		for (unsigned i = 0; i < sizeof(mem) / LINE; i++)
			if (lines[w][i])
				printf("line %d %u %u\n", w, i * LINE / ARRAY_SIZE, i % (ARRAY_SIZE / LINE));
	}
}

void prs_seen(uint32_t access, const void *first, uint64_t bytes, uint64_t count)
{
	uint32_t kind = PRS_ACCESS_KIND(access);
	uint64_t from = (uint64_t)first - (uint64_t)mem;

	/* The program has other variables; ranges are about arrays only. */
	if (count == 1 && from >= sizeof(mem))
		return;
	for (int w = 0; w < 2; w++) {
		if (kind == 1u - (uint32_t)w)
			continue;
		mark(w, (uint64_t)first, bytes);
		times[w] += kind == PRS_KIND_RMW && count > 1 ? count / 2 : count;
	}
}
