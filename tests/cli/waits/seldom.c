/* SPDX-License-Identifier: MIT */
/* A lock that is held for long seldom and for next to nothing often. */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void rest(long ms)
{
	struct timespec t = {0, ms * 1000000};

	nanosleep(&t, NULL);
}

static void *seldom(void *x)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		rest(10);
		pthread_mutex_unlock(&lock);
		rest(5);
	}
	return x;
}

static void *often(void *x)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		if (i % 50 == 0)
			rest(5);
	}
	return x;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, seldom, NULL);
	pthread_create(&b, NULL, often, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
