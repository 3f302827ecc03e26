/* SPDX-License-Identifier: MIT */
/* Vectorised loops with and without calls, simd clones, gathers, reductions. */
/* flags: -fopenmp-simd -ftree-vectorize -ffast-math */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000
static float a[N], b[N], c[N];
static double d[N];
static int idx[N], hist[16];

#pragma omp declare simd notinbranch
__attribute__((noinline)) float poly(float x) { return x * x * 0.5f + x; }
__attribute__((noinline)) static float saxpy(float k)
{
	float s = 0;

	for (int i = 0; i < N; i++) {
		c[i] += k * a[i] + b[i];
		s += c[i];
	}
	return s;
}
__attribute__((noinline)) static void by_call(void)
{
	for (int i = 0; i < N; i++)
		d[i] = sin(a[i]) + sqrt(fabs(b[i])) + exp(a[i] * 0.01);
}
__attribute__((noinline)) static void by_simd(void)
{
#pragma omp simd
	for (int i = 0; i < N; i++)
		c[i] = poly(b[i]) + c[i];
}
__attribute__((noinline)) static long gather(void)
{
	long s = 0;

	for (int i = 0; i < N; i++)
		s += (long)a[idx[i]] * idx[i];
	return s;
}
__attribute__((noinline)) static int masked(int limit)
{
	int n = 0;

	for (int i = 0; i < N; i++)
		if (idx[i] > limit) {
			idx[i] -= limit;
			n++;
		}
	return n;
}
__attribute__((noinline)) static void bins(void)
{
	for (int i = 0; i < N; i++)
		hist[idx[i] & 15]++;
}
static int cmp(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }

int main(void)
{
	double s = 0;

	for (int i = 0; i < N; i++) {
		a[i] = (float)(i % 37) / 4;
		b[i] = (float)(i % 11) - 5;
		idx[i] = (i * 7919) % N;
	}
	printf("%.1f\n", saxpy(2) + saxpy(0.5f));
	by_call();
	by_simd();
	for (int i = 0; i < N; i++)
		s += d[i] + c[i];
	printf("%.3f %ld %d\n", s, gather(), masked(300));
	qsort(idx, N, sizeof(idx[0]), cmp);
	bins();
	printf("%d %d %d\n", hist[0], hist[15], idx[N / 2]);
	return 0;
}
