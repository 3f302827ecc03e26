// SPDX-License-Identifier: MIT
// digits COUNT: numbers of many digits are multiplied and added, the digits in small blocks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS 64
struct number {
	unsigned d[DIGITS];
};

static __attribute__((noinline)) void times(struct number *a, unsigned by)
{
	unsigned long carry = 0;

	for (int i = 0; i < DIGITS; i++) {
		carry += (unsigned long)a->d[i] * by;
		a->d[i] = (unsigned)carry;
		carry >>= 32;
	}
}

static __attribute__((noinline)) void plus(struct number *a, const struct number *b)
{
	unsigned long carry = 0;

	for (int i = 0; i < DIGITS; i++) {
		carry += (unsigned long)a->d[i] + b->d[i];
		a->d[i] = (unsigned)carry;
		carry >>= 32;
	}
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1000000;
	struct number *sum = calloc(1, sizeof(*sum)), *x = calloc(1, sizeof(*x));

	x->d[0] = 1;
	for (int i = 0; i < count; i++) {
		times(x, (unsigned)i | 3);
		plus(sum, x);
	}
	printf("%u\n", sum->d[DIGITS - 1]);
	free(sum);
	free(x);
}
