/* SPDX-License-Identifier: MIT */
/*
 * Two programs that share a machine, as in section 6.1 of the 2008 report on profile-guided
 * optimisation of multi-threaded programs: a matrix multiplication with M threads and an insertion
 * sort of parts with I threads, at once.
 *
 *	corun M I		prints a checksum of both
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define N     300  /* rows and columns */
#define LEN   4000 /* of a part that is sorted alone */
#define PARTS 12
#define MOST  16

static double a[N][N], b[N][N], c[N][N];
static int part[PARTS][LEN];
static unsigned multipliers, sorters;

static void *multiply(void *arg)
{
	for (size_t i = (size_t)arg; i < N; i += multipliers)
		for (size_t j = 0; j < N; j++) {
			double sum = 0;

			for (size_t k = 0; k < N; k++)
				sum += a[i][k] * b[k][j];
			c[i][j] = sum;
		}
	return NULL;
}

static void *sort(void *arg)
{
	for (size_t p = (size_t)arg; p < PARTS; p += sorters)
		for (int i = 1; i < LEN; i++) {
			int now = part[p][i], k = i;

			for (; k > 0 && part[p][k - 1] > now; k--)
				part[p][k] = part[p][k - 1];
			part[p][k] = now;
		}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[2 * MOST];
	unsigned long n = 0, sum = 0;
	double trace = 0;

	multipliers = argc > 2 ? (unsigned)atoi(argv[1]) : 0;
	sorters = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	if (multipliers < 1 || multipliers > MOST || sorters < 1 || sorters > MOST) {
		fprintf(stderr, "usage: corun MULTIPLIERS SORTERS, each 1 to %d\n", MOST);
		return 2;
	}
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N; j++) {
			a[i][j] = (double)((i * 7 + j) % 13);
			b[i][j] = (double)((i + j * 5) % 11);
		}
	for (size_t p = 0; p < PARTS; p++)
		for (size_t i = 0; i < LEN; i++)
			part[p][i] = (int)((i * 7919 + p) % 1009);
	for (size_t i = 0; i < multipliers; i++)
		n += !pthread_create(&thread[n], NULL, multiply, (void *)i);
	for (size_t i = 0; i < sorters; i++)
		n += !pthread_create(&thread[n], NULL, sort, (void *)i);
	if (n != multipliers + sorters)
		return 3;
	while (n)
		pthread_join(thread[--n], NULL);
	for (size_t i = 0; i < N; i++)
		trace += c[i][i];
	for (size_t p = 0; p < PARTS; p++)
		for (size_t i = 1; i < LEN; i++) {
			if (part[p][i - 1] > part[p][i])
				return 1;
			sum += (unsigned long)part[p][i] * i;
		}
	printf("trace %.0f sum %lu\n", trace, sum);
	return 0;
}
