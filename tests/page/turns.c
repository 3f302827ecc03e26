/* SPDX-License-Identifier: MIT */
/*
 * Two threads take turns at two fields, which are on one line or, with APART, on two: the same
 * accesses in the same order in any run.  With ALONE one comes after the other has ended.  A
 * file's name is what others chose.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#ifdef APART
#define LINE __attribute__((aligned(64)))
#else
#define LINE
#endif
struct traffic {
	volatile unsigned long rx LINE, tx LINE;
};
static struct traffic *traffic;
static sem_t turn[2];
#ifdef ALONE
#define WAIT(i)
#define POST(i)
#else
#define WAIT(i) sem_wait(&turn[i])
#define POST(i) sem_post(&turn[i])
#endif

#define ROUNDS 600

__attribute__((noinline)) static void parse(void)
{
	for (int i = 0; i < 10; i++)
		traffic->rx++;
}

#line 30 "a\"b<img src=x onerror=alert(1)>\342\200\256.c"
__attribute__((noinline)) static void send(void)
{
	for (int i = 0; i < 10; i++)
		traffic->tx++;
}

static void *reader(void *p)
{
	for (int i = 0; i < ROUNDS; i++) {
		WAIT(0);
		parse();
		POST(1);
	}
	return p;
}

static void *writer(void *p)
{
	for (int i = 0; i < ROUNDS; i++) {
		WAIT(1);
		send();
		POST(0);
	}
	return p;
}

int main(void)
{
	pthread_t a, b;

	traffic = aligned_alloc(64, (sizeof(*traffic) + 63) / 64 * 64);
	sem_init(&turn[0], 0, 1);
	sem_init(&turn[1], 0, 0);
	pthread_create(&a, NULL, reader, NULL);
#ifdef ALONE
	pthread_join(a, NULL);
#endif
	pthread_create(&b, NULL, writer, NULL);
#ifndef ALONE
	pthread_join(a, NULL);
#endif
	pthread_join(b, NULL);
	free(traffic);
	return 0;
}
