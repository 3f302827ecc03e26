/* SPDX-License-Identifier: MIT */
/* Nests over rows whose width and pitch are only known at run time: hoist.sh compares the lines. */
#include <stddef.h>
#include "ranges.h"

#define NOIPA __attribute__((noipa))

/* Rows i - 1, i and i + 1 of one array. */
NOIPA void stencil(double *to, const double *from, int n, int m)
{
	if (m < 3)
		return;
	for (int i = 1; i < n - 1; i++)
		for (int j = 1; j < m - 1; j++) {
			__auto_type v = RD(from[i * n + j]) + RD(from[i * n + j - 1]) +
					RD(from[i * n + j + 1]) + RD(from[(i - 1) * n + j]) +
					RD(from[(i + 1) * n + j]);

			WR(to[i * n + j]) = v;
		}
}

/* Blocks of rows that follow each other. */
NOIPA void blocks(double *c, int n, int s)
{
	for (int i0 = 0; i0 < n; i0 += 4)
		for (int j0 = 0; j0 < s; j0 += 4)
			for (int i = i0; i < i0 + 4; i++)
				for (int j = j0; j < j0 + 4; j++)
					WR(c[i * n + j]) = i;
}

/* Upwards, and a row in every second one. */
NOIPA void up(short *p, long n, long m, long pitch)
{
	for (long i = n - 1; i >= 0; i--)
		for (long j = 0; j < m; j++)
			WR(p[i * pitch + j]) = 1;
}

/* A callee that waits for nobody. */
static NOIPA int few(const int *p)
{
	int s = 0;

	for (int i = 0; i < 3; i++)
		s += RD(p[i]);
	return s;
}

NOIPA void calls(int *to, const int *from, int n)
{
	for (int i = 0; i < n; i++) {
		__auto_type v = few(from + 3 * i);

		WR(to[i]) = v;
	}
}

int main(void)
{
	for (int n = 0; n < 24; n += 3)
		for (int m = 0; m <= n; m += 5)
			stencil((double *)(mem[0] + 8 * m), (double *)(mem[1] + 16 * n), n, m);
	blocks((double *)(mem[2] + 8), 20, 7);
	blocks((double *)(mem[2] + 40), 0, 7);
	for (int n = 0; n < 9; n++)
		up((short *)(mem[3] + 600 * n), n, 7, 11 * n - 20 > 0 ? 11 * n - 20 : 3);
	up((short *)(mem[3] + 9000), 4, 5, 200);
	calls((int *)(mem[4] + 100), (int *)(mem[5] + 20), 50);
	tell();
	return 0;
}
