/* SPDX-License-Identifier: MIT */
/* waits: one of each kind of wait, and the same calls without a need to wait. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "tests/runtime/asleep.h"
#include "tests/runtime/probe.h"

static struct prs_desc desc = {.version = PRS_ABI_VERSION, .n_calls = 4, .unit_id = 0x99};

static __attribute__((constructor(101))) void attach(void)
{
	if (__prs_attach)
		__prs_attach(&desc);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t idle = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static int ready;
static pid_t other_tid;

static void pause_ms(long ms)
{
	struct timespec ts = {0, ms * 1000000};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

static void *other(void *arg)
{
	i_am(&other_tid);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_unlock(&lock);
	sem_wait(&sem);
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < 3; i++)
		pthread_barrier_wait(&barrier);
	return arg;
}

static int waits(void)
{
	struct timespec soon;
	pthread_t id;
	void *result;

	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&sem, 0, 0);
	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&lock);
	if (pthread_create(&id, NULL, other, &desc))
		return 1;
	until_asleep(&other_tid);
	pause_ms(40);
	pthread_mutex_unlock(&mutex);
	until_asleep(&other_tid);
	pause_ms(40);
	pthread_rwlock_unlock(&lock);
	until_asleep(&other_tid);
	pause_ms(40);
	sem_post(&sem);
	until_asleep(&other_tid);
	pause_ms(40);
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < 3; i++)
		pthread_barrier_wait(&barrier);
	pthread_join(id, &result);
	clock_gettime(CLOCK_REALTIME, &soon);
	pthread_mutex_lock(&mutex);
	if (pthread_cond_timedwait(&cond, &mutex, &soon) != ETIMEDOUT)
		return 2;
	pthread_mutex_unlock(&mutex);
	usleep(1000);
	return result != &desc;
}

/* Nothing here has to wait. */
static int free_of_waits(void)
{
	sem_init(&sem, 0, 1000);
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&idle);
		pthread_mutex_unlock(&idle);
		pthread_rwlock_rdlock(&lock);
		pthread_rwlock_unlock(&lock);
		pthread_rwlock_wrlock(&lock);
		pthread_rwlock_unlock(&lock);
		sem_wait(&sem);
	}
	return 0;
}

/* What callers may rely on must not change: error codes, recursion, robustness, errno. */
static int results(void)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t m;
	struct timespec bad = {0, -1}, past = {0, 0};

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&m, &attr);
	if (pthread_mutex_lock(&m) || pthread_mutex_lock(&m) != EDEADLK || pthread_mutex_unlock(&m))
		return 1;
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&m, &attr);
	if (pthread_mutex_lock(&m) || pthread_mutex_lock(&m) || pthread_mutex_unlock(&m) ||
	    pthread_mutex_unlock(&m))
		return 2;
	errno = 77;
	if (nanosleep(&bad, NULL) != -1 || errno != EINVAL)
		return 3;
	sem_init(&sem, 0, 0);
	if (sem_timedwait(&sem, &past) != -1 || errno != ETIMEDOUT)
		return 4;
	errno = 77;
	sem_post(&sem);
	if (sem_wait(&sem) || errno != 77)
		return 5;
	return 0;
}

static int c11_main(void *arg)
{
	(void)arg;
	return 42;
}

static int c11(void)
{
	thrd_t id;
	int got = 0;

	if (thrd_create(&id, c11_main, NULL) != thrd_success || thrd_join(id, &got) != thrd_success)
		return 1;
	return got != 42;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "waits"))
		return waits();
	if (!strcmp(what, "free"))
		return free_of_waits();
	if (!strcmp(what, "results"))
		return results();
	if (!strcmp(what, "c11"))
		return c11();
	return 2;
}
