/* SPDX-License-Identifier: MIT */
/* sort RECORDS: quicksort by a comparison that is called through a pointer, libc's and one of its own. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define ROUNDS   3

struct record {
	uint64_t key;
	int value;
};

NOINLINE static int compare(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

NOINLINE static long split(struct record *r, long low, long high)
{
	struct record middle = r[(low + high) / 2], spare;

	for (low--, high++;;) {
		do
			low++;
		while (compare(&r[low], &middle) < 0);
		do
			high--;
		while (compare(&r[high], &middle) > 0);
		if (low >= high)
			return high;
		spare = r[low];
		r[low] = r[high];
		r[high] = spare;
	}
}

static void sort(struct record *r, long low, long high)
{
	long at;

	if (low >= high)
		return;
	at = split(r, low, high);
	sort(r, low, at);
	sort(r, at + 1, high);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 500000;
	struct record *r = malloc((size_t)n * sizeof(*r));
	uint64_t s = 88172645463325252ull;

	for (int round = 0; round < ROUNDS; round++) {
		for (long i = 0; i < n; i++) {
			s ^= s << 13;
			s ^= s >> 7;
			s ^= s << 17;
			r[i] = (struct record){s, (int)i};
		}
		if (round % 2)
			qsort(r, (size_t)n, sizeof(*r), compare);
		else
			sort(r, 0, n - 1);
	}
	printf("%d\n", r[n / 3].value);
	free(r);
	return 0;
}
