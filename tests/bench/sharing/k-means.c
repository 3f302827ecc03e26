/* SPDX-License-Identifier: MIT */
/* Points are put to the nearest of the means by two threads, started anew in each round. */
#include "two.h"

#define POINTS 20000
#define DIM 3
#define MEANS 40

static int **points, **means;
static int *cluster;
static int changed[2][16];

static NOIPA unsigned distance(const int *a, const int *b)
{
	unsigned d = 0;

	for (int i = 0; i < DIM; i++)
		d += (unsigned)((a[i] - b[i]) * (a[i] - b[i]));
	return d;
}

static NOIPA void assign(int from, int to, int *n)
{
	for (int i = from; i < to; i++) {
		unsigned best = ~0u;
		int at = 0;

		for (int m = 0; m < MEANS; m++) {
			unsigned d = distance(points[i], means[m]);

			if (d < best) {
				best = d;
				at = m;
			}
		}
		if (cluster[i] != at) {
			cluster[i] = at;
			++*n;
		}
	}
}

static NOIPA void move(int from, int to)
{
	for (int m = from; m < to; m++) {
		long s[DIM] = {0}, n = 0;

		for (int i = 0; i < POINTS; i++)
			if (cluster[i] == m) {
				n++;
				for (int k = 0; k < DIM; k++)
					s[k] += points[i][k];
			}
		for (int k = 0; n && k < DIM; k++)
			means[m][k] = (int)(s[k] / n);
	}
}

static void assign_half(int id)
{
	assign(id * POINTS / 2, (id + 1) * POINTS / 2, &changed[id][0]);
}

static void move_half(int id)
{
	move(id * MEANS / 2, (id + 1) * MEANS / 2);
}

static int **make(int n, uint32_t *r)
{
	int **v = malloc((size_t)n * sizeof(*v));

	for (int i = 0; i < n; i++) {
		v[i] = malloc(DIM * sizeof(int));
		for (int k = 0; k < DIM; k++)
			v[i][k] = (int)(two_random(r) % 1000);
	}
	return v;
}

int main(void)
{
	uint32_t r = 17;

	points = make(POINTS, &r);
	means = make(MEANS, &r);
	cluster = malloc(POINTS * sizeof(int));
	memset(cluster, -1, POINTS * sizeof(int));
	for (int round = 0; round < 60; round++) {
		memset(changed, 0, sizeof(changed));
		two(assign_half);
		two(move_half);
		if (!(changed[0][0] + changed[1][0]))
			break;
	}
	printf("%d %d\n", means[0][0], means[MEANS - 1][2]);
	return 0;
}
