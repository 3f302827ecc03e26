/* SPDX-License-Identifier: MIT */
/* distance N: edit distance of two texts of 500 letters, N times. */
#include <stdio.h>
#include <stdlib.h>

#define LETTERS 500

static char one[LETTERS + 1], two[LETTERS + 1];
static int row[LETTERS + 1];

static int least(int a, int b, int c)
{
	int m = a < b ? a : b;

	return m < c ? m : c;
}

static int distance(const char *a, const char *b)
{
	for (int j = 0; j <= LETTERS; j++)
		row[j] = j;
	for (int i = 1; i <= LETTERS; i++) {
		int corner = row[0];

		row[0] = i;
		for (int j = 1; j <= LETTERS; j++) {
			int up = row[j];

			row[j] = least(up + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1]));
			corner = up;
		}
	}
	return row[LETTERS];
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 200;
	long sum = 0;

	for (int t = 0; t < times; t++) {
		for (int i = 0; i < LETTERS; i++) {
			one[i] = (char)('a' + (i * 7 + t) % 26);
			two[i] = (char)('a' + (i * 11 + t) % 23);
		}
		sum += distance(one, two);
	}
	printf("%ld\n", sum);
	return 0;
}
