/* SPDX-License-Identifier: MIT */
/*
 * A producer and a consumer, as in section 6.2 of the same report: P threads multiply matrices in tiles
 * of T x T (T = N: no tiling), C threads transpose what they made, with a queue of two between them.
 *
 *	pipeline P C T		prints a checksum
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N    192
#define JOBS 4
#define ROOM 2
#define MOST 8

static double a[N][N], b[N][N];
static double product[JOBS][N][N];
static double turned[JOBS][N][N];
static unsigned tile, made, taken, next_job, queue[JOBS], n_queue;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void multiply(double (*to)[N], double scale)
{
	for (size_t ii = 0; ii < N; ii += tile)
		for (size_t kk = 0; kk < N; kk += tile)
			for (size_t jj = 0; jj < N; jj += tile)
				for (size_t i = ii; i < ii + tile && i < N; i++)
					for (size_t j = jj; j < jj + tile && j < N; j++) {
						double sum = to[i][j];

						for (size_t k = kk; k < kk + tile && k < N; k++)
							sum += scale * a[i][k] * b[k][j];
						to[i][j] = sum;
					}
}

static void *produce(void *arg)
{
	for (;;) {
		unsigned job;

		pthread_mutex_lock(&lock);
		job = next_job++;
		pthread_mutex_unlock(&lock);
		if (job >= JOBS)
			return arg;
		multiply(product[job], job + 1);
		pthread_mutex_lock(&lock);
		while (n_queue == ROOM)
			pthread_cond_wait(&changed, &lock);
		queue[n_queue++] = job;
		made++;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
}

static void *consume(void *arg)
{
	for (;;) {
		unsigned job;

		pthread_mutex_lock(&lock);
		while (!n_queue && taken < JOBS)
			pthread_cond_wait(&changed, &lock);
		if (taken >= JOBS) {
			pthread_mutex_unlock(&lock);
			return arg;
		}
		job = queue[--n_queue];
		taken++;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
		for (size_t i = 0; i < N; i++)
			for (size_t j = 0; j < N; j++)
				turned[job][j][i] = product[job][i][j];
	}
}

int main(int argc, char **argv)
{
	unsigned producers = argc > 3 ? (unsigned)atoi(argv[1]) : 0,
		 consumers = argc > 3 ? (unsigned)atoi(argv[2]) : 0;
	pthread_t thread[2 * MOST];
	unsigned long n = 0;
	double sum = 0;

	tile = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
	if (producers < 1 || producers > MOST || consumers < 1 || consumers > MOST || tile < 1 || tile > N) {
		fprintf(stderr, "usage: pipeline PRODUCERS CONSUMERS TILE: 1 to %d, 1 to %d, 1 to %d\n", MOST,
			MOST, N);
		return 2;
	}
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N; j++) {
			a[i][j] = (double)((i * 7 + j) % 13);
			b[i][j] = (double)((i + j * 5) % 11);
		}
	for (size_t i = 0; i < producers; i++)
		n += !pthread_create(&thread[n], NULL, produce, NULL);
	for (size_t i = 0; i < consumers; i++)
		n += !pthread_create(&thread[n], NULL, consume, NULL);
	if (n != producers + consumers)
		return 3;
	while (n)
		pthread_join(thread[--n], NULL);
	for (size_t job = 0; job < JOBS; job++)
		for (size_t i = 0; i < N; i++)
			for (size_t j = 0; j < N; j++)
				sum += turned[job][i][j] * (double)((i + 2 * j) % 5);
	printf("sum %.0f of %u\n", sum, made);
	return 0;
}
