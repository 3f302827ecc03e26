/* SPDX-License-Identifier: MIT */
/* Four threads that work under one lock, or with -DALONE each under its own. */
#include <pthread.h>
#ifdef ALONE
#define LOCK(i) (i)
#else
#define LOCK(i) 0
#endif
static pthread_mutex_t lock[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				  PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t together;
__attribute__((noinline)) unsigned work(unsigned n)
{
	unsigned volatile sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += i;
	return sum;
}
static void *worker(void *arg)
{
	long i = (long)arg;
	for (int round = 0; round < 100; round++) {
		pthread_mutex_lock(&lock[LOCK(i)]);
		work(200000);
		pthread_mutex_unlock(&lock[LOCK(i)]);
		if (round % 4 == 3)
			pthread_barrier_wait(&together);
	}
	return 0;
}
int main(void)
{
	pthread_t t[4];
	pthread_barrier_init(&together, 0, 4);
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], 0, worker, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	return 0;
}
