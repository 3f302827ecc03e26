/* SPDX-License-Identifier: MIT */
/*
 * jam [free]: a maker, a queue and three users that hold one lock for 1 ms an item,
 * or, each on its own, none.  The lock limits the program; that the maker waits follows.
 */
#include <pthread.h>
#include <time.h>

#define ITEMS 200
#define USERS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, ledger = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, space = PTHREAD_COND_INITIALIZER;
static int used, made, unlocked;

static void rest(void)
{
	struct timespec t = {0, 1000000};

	nanosleep(&t, NULL);
}

static void *maker(void *arg)
{
	for (int i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&lock);
		while (used == 4)
			pthread_cond_wait(&space, &lock);
		used++;
		made++;
		pthread_cond_broadcast(&filled);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static int get(void)
{
	int got;

	pthread_mutex_lock(&lock);
	while (!used && made < ITEMS)
		pthread_cond_wait(&filled, &lock);
	got = used > 0;
	used -= got;
	pthread_cond_signal(&space);
	pthread_mutex_unlock(&lock);
	return got;
}

static void *user(void *arg)
{
	while (get()) {
		if (!unlocked)
			pthread_mutex_lock(&ledger); /* all wait here */
		rest();
		if (!unlocked)
			pthread_mutex_unlock(&ledger);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t m, u[USERS];

	(void)argv;
	unlocked = argc > 1;
	for (int i = 0; i < USERS; i++)
		pthread_create(&u[i], NULL, user, NULL);
	pthread_create(&m, NULL, maker, NULL);
	pthread_join(m, NULL);
	for (int i = 0; i < USERS; i++)
		pthread_join(u[i], NULL);
	return 0;
}
