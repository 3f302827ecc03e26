/* SPDX-License-Identifier: MIT */
/* Two threads that share a cache line and a lock. */
#include <pthread.h>
struct traffic { volatile unsigned long rx, tx; } traffic;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define N 300000
__attribute__((noinline)) static void parse(int n) { for (int i = 0; i < n; i++) traffic.rx++; }
__attribute__((noinline)) static void send(int n) { for (int i = 0; i < n; i++) traffic.tx++; }
static void *reader(void *p) { for (int i = 0; i < 30; i++) { parse(N); pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); } return p; }
static void *writer(void *p) { for (int i = 0; i < 30; i++) { send(N); pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); } return p; }
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, writer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
