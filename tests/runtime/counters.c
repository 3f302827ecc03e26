/* SPDX-License-Identifier: MIT */
/* counters MODE: threads that do a known amount of what can be counted. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/runtime/probe.h"

static struct prs_desc desc = {.version = PRS_ABI_VERSION, .n_calls = 4, .unit_id = 0xc0};

static __attribute__((constructor(101))) void attach(void)
{
	if (__prs_attach)
		__prs_attach(&desc);
}

#define PAGES 500
#define NAPS  40

static void nap(long us)
{
	struct timespec ts = {0, us * 1000};

	nanosleep(&ts, NULL);
}

static void touch_pages(size_t n)
{
	char *p = mmap(NULL, n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, n * 4096, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < n; i++)
		((volatile char *)p)[i * 4096] = 1;
	munmap(p, n * 4096);
}

static void burn(long us)
{
	struct timespec ts;
	long long end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	end = ts.tv_sec * 1000000000ll + ts.tv_nsec + us * 1000;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	while (ts.tv_sec * 1000000000ll + ts.tv_nsec < end);
}

static void timed_burn(long us)
{
	uint64_t token = probe_enter(&desc, 0);

	burn(us);
	probe_leave(&desc, 0, token);
}

/* ---- known amounts: one thread each ---- */

static void *pages_thread(void *arg)
{
	touch_pages(PAGES);
	return arg;
}

static void *naps_thread(void *arg)
{
	for (int i = 0; i < NAPS; i++)
		nap(200);
	return arg;
}

static void *burn_thread(void *arg)
{
	for (int i = 0; i < 10; i++)
		timed_burn(5000);
	return arg;
}

static void run_thread(void *(*body)(void *))
{
	pthread_t id;

	if (pthread_create(&id, NULL, body, NULL))
		_exit(9);
	pthread_join(id, NULL);
}

static int known(void)
{
	run_thread(pages_thread);
	run_thread(naps_thread);
	run_thread(burn_thread);
	return 0;
}

/* ---- more readings than there is room for ---- */

static int many(void)
{
	for (int i = 0; i < 1500; i++)
		nap(1000);
	touch_pages(PAGES);
	return 0;
}

/* ---- descriptors ---- */

static int count_fds(void)
{
	int n = 0;

	for (int i = 0; i < 4096; i++)
		n += fcntl(i, F_GETFD) >= 0;
	return n;
}

static int storm(int threads)
{
	int before = count_fds(), after;

	for (int i = 0; i < threads; i++)
		run_thread(naps_thread);
	after = count_fds();
	printf("fds %d %d\n", before, after);
	return after != before;
}

/* Everything is closed, and the numbers are eventfds afterwards, which a stray read would empty. */
static int closed(void)
{
	int bad = 0, n = 0;
	uint64_t value;

	timed_burn(3000);
	for (int i = 3; i < 2000; i++)
		close(i);
	for (int i = 3; i < 1020 && n >= 0; i++)
		n = eventfd(1, EFD_NONBLOCK);
	for (int i = 1000; i < 1020; i++)
		dup2(3, i);
	for (int i = 0; i < 20; i++)
		timed_burn(3000);
	for (int i = 4; i < 1000 && fcntl(i, F_GETFD) >= 0; i++)
		bad += read(i, &value, sizeof(value)) != sizeof(value) || value != 1;
	bad += read(3, &value, sizeof(value)) != sizeof(value) || value != 1;
	printf("emptied %d\n", bad);
	return bad != 0;
}

static int few(void)
{
	struct rlimit lim = {24, 24};

	for (int i = 0; i < 4; i++)
		run_thread(naps_thread);
	if (setrlimit(RLIMIT_NOFILE, &lim))
		return 9;
	return 0;
}

static void *hold_thread(void *arg)
{
	pthread_barrier_wait(arg);
	naps_thread(NULL);
	pthread_barrier_wait(arg);
	return NULL;
}

/* Twenty threads at once, of which the descriptors are enough for some. */
static int crowd(void)
{
	pthread_barrier_t barrier;
	pthread_t id[20];
	int fds;

	pthread_barrier_init(&barrier, NULL, 21);
	for (int i = 0; i < 20; i++)
		pthread_create(&id[i], NULL, hold_thread, &barrier);
	pthread_barrier_wait(&barrier);
	fds = count_fds();
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 20; i++)
		pthread_join(id[i], NULL);
	printf("fds %d\n", fds);
	return few();
}

/* ---- fork ---- */

static int forks(void)
{
	int status = 0, fds = count_fds();
	pid_t child;

	timed_burn(3000);
	child = fork();
	if (!child) {
		printf("child %d\n", count_fds() - fds);
		fflush(stdout);
		touch_pages(PAGES);
		timed_burn(3000);
		exit(5);
	}
	waitpid(child, &status, 0);
	timed_burn(3000);
	return WEXITSTATUS(status) != 5;
}

/* A child that the runtime hears nothing of. */
static int clones(void)
{
	int status = 0;
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (!child) {
		for (int i = 0; i < 3; i++)
			timed_burn(3000);
		syscall(SYS_exit_group, 5);
	}
	waitpid(child, &status, 0);
	timed_burn(3000);
	return !WIFEXITED(status) || WEXITSTATUS(status) != 5;
}

/* ---- more long calls than the block log takes at once ---- */

static int blocks(int n)
{
	for (int i = 0; i < n; i++) {
		uint64_t token = probe_enter(&desc, 1);

		nap(20);
		probe_leave(&desc, 1, token);
	}
	return 0;
}

/* ---- signals: a handler whose calls are timed, too ---- */

static void on_alarm(int signo)
{
	(void)signo;
	timed_burn(30);
}

static int signals(void)
{
	struct sigaction sa = {.sa_handler = on_alarm};
	struct itimerval every = {{0, 500}, {0, 500}};

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < 150; i++)
		timed_burn(2000);
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "known";

	if (!strcmp(mode, "known"))
		return known();
	if (!strcmp(mode, "many"))
		return many();
	if (!strcmp(mode, "storm"))
		return storm(200);
	if (!strcmp(mode, "closed"))
		return closed();
	if (!strcmp(mode, "crowd"))
		return crowd();
	if (!strcmp(mode, "forks"))
		return forks();
	if (!strcmp(mode, "clones"))
		return clones();
	if (!strcmp(mode, "blocks"))
		return blocks(argc > 2 ? atoi(argv[2]) : 0);
	if (!strcmp(mode, "signals"))
		return signals();
	return 9;
}
