// SPDX-License-Identifier: MIT
// order ROUNDS: the C library sorts records by a function of ours.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
	char name[12];
	int year;
};
static struct record all[20000];

static int compare(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	int by = x->year - y->year;

	return by ? by : strcmp(x->name, y->name);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 30;
	unsigned seed = 5;
	long sum = 0;

	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < 20000; i++) {
			seed = seed * 1664525u + 1013904223u;
			snprintf(all[i].name, sizeof(all[i].name), "n%u", seed >> 12);
			all[i].year = 1900 + (seed >> 8) % 100;
		}
		qsort(all, 20000, sizeof(all[0]), compare);
		sum += all[r].year + all[10000].name[2];
	}
	printf("%ld\n", sum);
}
