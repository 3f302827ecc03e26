// SPDX-License-Identifier: MIT
// heap ROUNDS: numbers go into a binary heap and come out in order, a call for each step.
#include <stdio.h>
#include <stdlib.h>

#define MOST 4096
static unsigned at[MOST], n;

static void up(unsigned i)
{
	unsigned parent = (i - 1) / 2, swap = at[i];

	if (!i || at[parent] <= at[i])
		return;
	at[i] = at[parent];
	at[parent] = swap;
	up(parent);
}

static void down(unsigned i)
{
	unsigned least = i, swap = at[i];

	for (unsigned k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++)
		least = at[k] < at[least] ? k : least;
	if (least == i)
		return;
	at[i] = at[least];
	at[least] = swap;
	down(least);
}

static __attribute__((noinline)) void put(unsigned x)
{
	at[n] = x;
	up(n++);
}

static __attribute__((noinline)) unsigned take(void)
{
	unsigned x = at[0];

	at[0] = at[--n];
	down(0);
	return x;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 400;
	unsigned seed = 7, sum = 0;

	for (int r = 0; r < rounds; r++) {
		while (n < MOST)
			put(seed = seed * 1664525u + 1013904223u);
		while (n)
			sum = sum * 3 + take();
	}
	printf("%u\n", sum);
}
