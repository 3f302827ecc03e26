/* SPDX-License-Identifier: MIT */
/* Blocked LU without pivots of a matrix stored by rows; the blocks are dealt to two threads. */
#include "two.h"

#define N 512
#define B 16

static double *a;
static pthread_barrier_t step;

static NOIPA void daxpy(double *x, const double *y, int n, double alpha)
{
	for (int i = 0; i < n; i++)
		x[i] += alpha * y[i];
}

/* The block at @d becomes its own factors. */
static NOIPA void lu0(double *d)
{
	for (int k = 0; k < B; k++)
		for (int i = k + 1; i < B; i++) {
			d[i * N + k] /= d[k * N + k];
			daxpy(&d[i * N + k + 1], &d[k * N + k + 1], B - k - 1, -d[i * N + k]);
		}
}

static NOIPA void solve_below(double *x, const double *d)
{
	for (int i = 0; i < B; i++)
		for (int k = 0; k < B; k++) {
			x[i * N + k] /= d[k * N + k];
			daxpy(&x[i * N + k + 1], &d[k * N + k + 1], B - k - 1, -x[i * N + k]);
		}
}

static NOIPA void solve_right(double *x, const double *d)
{
	for (int k = 0; k < B; k++)
		for (int i = k + 1; i < B; i++)
			daxpy(&x[i * N], &x[k * N], B, -d[i * N + k]);
}

static NOIPA void update(double *c, const double *x, const double *y)
{
	for (int i = 0; i < B; i++)
		for (int k = 0; k < B; k++)
			daxpy(&c[i * N], &y[k * N], B, -x[i * N + k]);
}

static double *block(int i, int j)
{
	return &a[i * B * N + j * B];
}

static void work(int id)
{
	const int n = N / B;

	for (int k = 0; k < n; k++) {
		if (k % 2 == id)
			lu0(block(k, k));
		pthread_barrier_wait(&step);
		for (int i = k + 1; i < n; i++)
			if (i % 2 == id) {
				solve_below(block(i, k), block(k, k));
				solve_right(block(k, i), block(k, k));
			}
		pthread_barrier_wait(&step);
		for (int i = k + 1; i < n; i++)
			for (int j = k + 1; j < n; j++)
				if ((i + j) % 2 == id)
					update(block(i, j), block(i, k), block(k, j));
		pthread_barrier_wait(&step);
	}
}

int main(void)
{
	uint32_t r = 3;

	/* 8 bytes off the line, as malloc() would have it: neighbours meet. */
	a = (double *)two_memory(sizeof(double) * (N * N + 8)) + 2;
	pthread_barrier_init(&step, NULL, 2);
	for (int t = 0; t < 8; t++) {
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++)
				a[i * N + j] = two_random(&r) % 100 * 0.01 + (i == j ? N : 0);
		two(work);
	}
	printf("%.6f\n", a[(N - 1) * N + N - 1]);
	return 0;
}
