/* SPDX-License-Identifier: MIT */
/* Three threads, the third with twice the work; with -DLOCKED nine tenths of it under one mutex. */
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) unsigned work(unsigned n)
{
	unsigned volatile sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += i;
	return sum;
}
static void *worker(void *arg)
{
	long rounds = (long)arg;
	for (long i = 0; i < rounds; i++) {
#ifdef LOCKED
		pthread_mutex_lock(&m);
		work(18000);
		pthread_mutex_unlock(&m);
		work(2000);
#else
		work(20000);
#endif
	}
	return 0;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, worker, (void *)(i == 2 ? 6000L : 3000L));
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	(void)m;
	return 0;
}
