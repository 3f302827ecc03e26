/* SPDX-License-Identifier: MIT */
/*
 * work KIND: the programs behind the golden records, one run a kind.
 *
 *   timing   calls: direct, indirect, recursive, short and long
 *   threads  mutex, condition variable, barrier, semaphore, creation and join
 *   killed   as timing, and kills itself in the middle of three nested calls
 *   forked   a child that works, and one that calls exec
 *   pipes    a thread that feeds main through a pipe, slowly
 *   sharing  two threads that write to one line, and two that do not
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

struct pair {
	uint64_t left, right;
};

static struct pair together;
static struct pair apart[16];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t meeting;
static sem_t tickets;
static int items;
static volatile uint64_t sink;

APART static void spin(uint64_t n)
{
	while (n--)
		sink = sink + n;
}

APART static void add(uint64_t n)
{
	sink = sink + n;
}

APART static void multiply(uint64_t n)
{
	sink = sink * n;
}

APART static uint64_t fibonacci(unsigned n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

APART static void long_block(void)
{
	spin(300000);
}

APART static void calls(void)
{
	static void (*const volatile by_turns[2])(uint64_t) = {add, multiply};

	for (unsigned i = 0; i < 3000; i++)
		by_turns[i % 3 == 0](i);
	sink = sink + fibonacci(15);
	for (unsigned i = 0; i < 5; i++)
		long_block();
}

APART static void end_here(void)
{
	spin(1000);
	kill(getpid(), SIGKILL);
}

APART static void nested(unsigned levels)
{
	if (levels)
		nested(levels - 1);
	else
		end_here();
}

static void *consumer(void *arg)
{
	(void)arg;
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		while (!items)
			pthread_cond_wait(&ready, &lock);
		items--;
		spin(20000);
		pthread_mutex_unlock(&lock);
		sem_post(&tickets);
	}
	pthread_barrier_wait(&meeting);
	return NULL;
}

APART static void threads(void)
{
	pthread_t id[2];

	pthread_barrier_init(&meeting, NULL, 3);
	sem_init(&tickets, 0, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&id[i], NULL, consumer, NULL);
	for (int i = 0; i < 40; i++) {
		pthread_mutex_lock(&lock);
		items++;
		pthread_cond_signal(&ready);
		pthread_mutex_unlock(&lock);
		sem_wait(&tickets);
	}
	pthread_barrier_wait(&meeting);
	for (int i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
}

static void *write_left(void *arg)
{
	struct pair *p = arg;

	pthread_barrier_wait(&meeting);
	for (int i = 0; i < 2000000; i++) {
		p->left += sink & 1;
		if (i % 100 == 0) /* on one core, too, they take turns */
			sched_yield();
	}
	return NULL;
}

static void *write_right(void *arg)
{
	struct pair *p = arg;

	pthread_barrier_wait(&meeting);
	for (int i = 0; i < 2000000; i++) {
		p->right += sink & 1;
		if (i % 100 == 0)
			sched_yield();
	}
	return NULL;
}

APART static void sharing(void)
{
	struct pair *heap = malloc(sizeof(*heap));
	pthread_t id[4];

	pthread_barrier_init(&meeting, NULL, 4);
	pthread_create(&id[0], NULL, write_left, &together);
	pthread_create(&id[1], NULL, write_right, &together);
	pthread_create(&id[2], NULL, write_left, &apart[4]);
	pthread_create(&id[3], NULL, write_right, heap);
	for (int i = 0; i < 4; i++)
		pthread_join(id[i], NULL);
	free(heap);
}

static void *feeder(void *arg)
{
	struct timespec nap = {0, 2000000};

	for (char c = 'a'; c < 'f'; c++) {
		nanosleep(&nap, NULL);
		spin(1000);
		if (write(*(int *)arg, &c, 1) != 1)
			exit(1);
	}
	return NULL;
}

APART static void pipes(void)
{
	pthread_t id;
	int ends[2];
	char c;

	if (pipe(ends))
		exit(1);
	pthread_create(&id, NULL, feeder, &ends[1]);
	for (int i = 0; i < 5 && read(ends[0], &c, 1) == 1; i++)
		spin((uint64_t)c);
	pthread_join(id, NULL);
}

APART static void forked(const char *self)
{
	char *const argv[] = {(char *)self, "timing", NULL};
	pid_t worker = fork(), other;

	if (!worker) {
		calls();
		exit(0);
	}
	other = fork();
	if (!other) {
		execv(self, argv);
		_exit(1);
	}
	waitpid(worker, NULL, 0);
	waitpid(other, NULL, 0);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	if (!strcmp(kind, "timing"))
		calls();
	else if (!strcmp(kind, "threads"))
		threads();
	else if (!strcmp(kind, "killed"))
		calls(), nested(3);
	else if (!strcmp(kind, "forked"))
		forked(argv[0]);
	else if (!strcmp(kind, "pipes"))
		pipes();
	else if (!strcmp(kind, "sharing"))
		sharing();
	else
		return 2;
	return 0;
}
