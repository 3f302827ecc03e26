/* SPDX-License-Identifier: MIT */
/*
 * accuracy ROUNDS [TURNS]: blocks of known numbers and lengths, which the program
 * times itself, from the outside, by CLOCK_MONOTONIC.  Prints for each kind
 *   KIND CALLS SUM_NS LEAST_NS
 * Work is the same in every build: it is counted in turns of a loop, and the
 * number of turns a microsecond comes from the command line (accuracy -c prints one that
 * suits this machine).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile uint64_t sink;
static double turns_per_us = 300;

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static void turn(uint64_t n)
{
	uint64_t x = 88172645463325252ull;

	for (uint64_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	sink = x;
}

#define BLOCK(name)                                                                                          \
	static NOINLINE void name(uint64_t n)                                                                \
	{                                                                                                    \
		turn(n);                                                                                     \
	}
BLOCK(block_10us)
BLOCK(block_30us)
BLOCK(block_100us)
BLOCK(block_1ms)
BLOCK(block_10ms)

/* A body with short calls in it, whose probes must not count as its time. */
static NOINLINE uint64_t tiny(uint64_t x)
{
	return x * 6364136223846793005ull + 1;
}

static NOINLINE void nested(uint64_t n)
{
	uint64_t x = 1;

	for (uint64_t i = 0; i < 200; i++)
		x = tiny(x);
	sink = x;
	turn(n);
}

static NOINLINE unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

/* Calls through a pointer, to two callees in turns. */
static NOINLINE uint64_t even(uint64_t x)
{
	return x + 2;
}

static NOINLINE uint64_t odd(uint64_t x)
{
	return x ^ 3;
}

static void indirect(unsigned n)
{
	uint64_t (*volatile f[2])(uint64_t) = {even, odd};
	uint64_t x = 1;

	for (unsigned i = 0; i < n; i++)
		x = f[i % 3 == 0](x);
	sink = x;
}

struct kind {
	const char *name;
	double us;
	unsigned calls; /* a round */
	int64_t sum, least;
	unsigned done;
};

/* The calls are written out: each kind has a call site of its own. */
static void once(struct kind *k, int which, uint64_t n)
{
	int64_t begin = now(), spent;

	switch (which) {
	case 0:
		block_10us(n);
		break;
	case 1:
		block_30us(n);
		break;
	case 2:
		block_100us(n);
		break;
	case 3:
		block_1ms(n);
		break;
	case 4:
		block_10ms(n);
		break;
	default:
		nested(n);
	}
	spent = now() - begin;
	k->sum += spent;
	k->done++;
	if (!k->least || spent < k->least)
		k->least = spent;
}

static double calibrate(void)
{
	int64_t best = 1ll << 60;

	for (int i = 0; i < 20; i++) {
		int64_t begin = now();

		turn(1000000);
		begin = now() - begin;
		best = begin < best ? begin : best;
	}
	return 1000000 / ((double)best / 1000);
}

int main(int argc, char **argv)
{
	struct kind kinds[] = {
		{.name = "block_10us", .us = 12, .calls = 400},
		{.name = "block_30us", .us = 30, .calls = 200},
		{.name = "block_100us", .us = 100, .calls = 60},
		{.name = "block_1ms", .us = 1000, .calls = 8},
		{.name = "block_10ms", .us = 10000, .calls = 1},
		{.name = "nested", .us = 20, .calls = 200},
	};
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1;

	if (argc > 1 && !strcmp(argv[1], "-c")) {
		printf("%.0f\n", calibrate());
		return 0;
	}
	if (argc > 2)
		turns_per_us = atof(argv[2]);
	for (unsigned r = 0; r < rounds; r++)
		for (int k = 0; k < 6; k++)
			for (unsigned i = 0; i < kinds[k].calls; i++)
				once(&kinds[k], k, (uint64_t)(kinds[k].us * turns_per_us));
	printf("fib %u\n", fib(18));
	indirect(3000);
	for (int k = 0; k < 6; k++)
		printf("%s %u %lld %lld\n", kinds[k].name, kinds[k].done, (long long)kinds[k].sum,
		       (long long)kinds[k].least);
	return 0;
}
