/* SPDX-License-Identifier: MIT */
/*
 * Two threads that share a cache line and a lock.  They begin each of 30 rounds together: even if they
 * never run side by side, on a busy machine, each takes the line from the other in every round.
 */
#include <pthread.h>
struct traffic { volatile unsigned long rx, tx; } traffic;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
#define N 300000
__attribute__((noinline)) static void parse(int n) { for (int i = 0; i < n; i++) traffic.rx++; }
__attribute__((noinline)) static void send(int n) { for (int i = 0; i < n; i++) traffic.tx++; }
static void *reader(void *p) { for (int i = 0; i < 30; i++) { pthread_barrier_wait(&both); parse(N); pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); } return p; }
static void *writer(void *p) { for (int i = 0; i < 30; i++) { pthread_barrier_wait(&both); send(N); pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); } return p; }
int main(void)
{
	pthread_t a, b;
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, writer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
