/* SPDX-License-Identifier: MIT */
/* calls SCENARIO: call probes under everything that unbalances them. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/runtime/probe.h"

enum { SITE_A, SITE_B, SITE_C, SITE_MAIN, SITE_CREATE, SITE_JOIN, SITE_SLOW, N_SITES };

static struct prs_desc desc = {.version = PRS_ABI_VERSION, .n_calls = N_SITES, .unit_id = 0x1234};

static __attribute__((constructor(101))) void attach(void)
{
	if (__prs_attach)
		__prs_attach(&desc);
}

static __attribute__((destructor(101))) void detach(void)
{
	if (__prs_detach)
		__prs_detach(&desc);
}

static void call(uint32_t site)
{
	uint64_t token = probe_enter(&desc, site);

	__asm__ volatile("");
	probe_leave(&desc, site, token);
}

static void spin_us(unsigned us)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	do
		clock_gettime(CLOCK_MONOTONIC, &b);
	while ((b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000 < (long)us);
}

static unsigned fib(unsigned n)
{
	uint64_t token;
	unsigned r;

	if (n < 2)
		return n;
	token = probe_enter(&desc, SITE_A);
	r = fib(n - 1);
	probe_leave(&desc, SITE_A, token);
	token = probe_enter(&desc, SITE_B);
	r += fib(n - 2);
	probe_leave(&desc, SITE_B, token);
	return r;
}

/* 17710 calls of each site: fib(20) makes 21890 in all. */
static int recursion(void)
{
	return fib(20) != 6765;
}

static void dive(unsigned n)
{
	uint64_t token = probe_enter(&desc, SITE_A);

	if (n)
		dive(n - 1);
	probe_leave(&desc, SITE_A, token);
}

static int deep(void)
{
	dive(4999);
	return 0;
}

static jmp_buf jump;

static void jumper(unsigned n)
{
	uint64_t token = probe_enter(&desc, SITE_B);

	if (!n)
		longjmp(jump, 1);
	jumper(n - 1);
	probe_leave(&desc, SITE_B, token);
}

/* Each round leaves three calls of B open; A round them returns as ever. */
static int jumps(void)
{
	for (volatile int i = 0; i < 1000; i++) {
		uint64_t token = probe_enter(&desc, SITE_A);

		if (!setjmp(jump))
			jumper(2);
		probe_leave(&desc, SITE_A, token);
	}
	return 0;
}

static volatile sig_atomic_t handled;

static void handler(int sig)
{
	(void)sig;
	for (int i = 0; i < 10; i++)
		call(SITE_C);
	call(SITE_A);
	handled++;
}

/* A timer every 50 us into a loop of calls; every call must be counted. */
static int signals(void)
{
	struct itimerval t = {{0, 50}, {0, 50}}, off = {{0, 0}, {0, 0}};
	unsigned n = 0;

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &t, NULL);
	while (handled < 2000) {
		call(SITE_A);
		call(SITE_B);
		n++;
	}
	setitimer(ITIMER_REAL, &off, NULL);
	printf("A=%u B=%u C=%u\n", n + (unsigned)handled, n, 10 * (unsigned)handled);
	return 0;
}

static void *worker(void *arg)
{
	for (uintptr_t i = 0; i < (uintptr_t)arg; i++) {
		call(SITE_A);
		call(SITE_B);
	}
	return NULL;
}

static void start(pthread_t *id, void *(*fn)(void *), void *arg)
{
	uint64_t token = probe_enter(&desc, SITE_CREATE);

	if (pthread_create(id, NULL, fn, arg))
		abort();
	probe_leave(&desc, SITE_CREATE, token);
}

static void join(pthread_t id)
{
	uint64_t token = probe_enter(&desc, SITE_JOIN);

	pthread_join(id, NULL);
	probe_leave(&desc, SITE_JOIN, token);
}

static int threads(void)
{
	pthread_t id[8];

	for (int i = 0; i < 8; i++)
		start(&id[i], worker, (void *)100000);
	for (int i = 0; i < 8; i++)
		join(id[i]);
	return 0;
}

static int churn(unsigned n)
{
	pthread_t id[4];

	for (unsigned i = 0; i < n / 4; i++) {
		for (int k = 0; k < 4; k++)
			start(&id[k], worker, (void *)100);
		for (int k = 0; k < 4; k++)
			join(id[k]);
	}
	return 0;
}

static sigset_t set_of(int sig)
{
	sigset_t s;

	sigemptyset(&s);
	sigaddset(&s, sig);
	return s;
}

/* Short threads under a fast timer, whose signals come to them as they begin and end. */
static int ticked(unsigned n)
{
	struct itimerval t = {{0, 50}, {0, 50}}, off = {{0, 0}, {0, 0}};
	struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_RESTART};
	sigset_t alarm = set_of(SIGALRM);
	pthread_t id;

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
	for (unsigned i = 0; i < n; i++) {
		start(&id, worker, (void *)100);
		pthread_sigmask(SIG_BLOCK, &alarm, NULL);
		join(id);
		pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	}
	setitimer(ITIMER_REAL, &off, NULL);
	return !handled;
}

static void *mask_of(void *arg)
{
	pthread_sigmask(SIG_BLOCK, NULL, arg);
	return NULL;
}

static bool only(const sigset_t *s, int sig)
{
	for (int i = 1; i < NSIG; i++)
		if (sigismember(s, i) > 0 && i != sig)
			return false;
	return sigismember(s, sig) == 1;
}

/* A thread inherits its creator's mask, unless its attributes have one; the creator keeps its own. */
static int masks(void)
{
	sigset_t inherited, given, kept, usr1 = set_of(SIGUSR1), usr2 = set_of(SIGUSR2);
	pthread_attr_t attr;
	pthread_t id;

	pthread_sigmask(SIG_SETMASK, &usr1, NULL);
	start(&id, mask_of, &inherited);
	join(id);
	pthread_attr_init(&attr);
	pthread_attr_setsigmask_np(&attr, &usr2);
	if (pthread_create(&id, &attr, mask_of, &given))
		return 2;
	join(id);
	pthread_attr_destroy(&attr);
	mask_of(&kept);
	return !only(&inherited, SIGUSR1) + 2 * !only(&given, SIGUSR2) + 4 * !only(&kept, SIGUSR1);
}

static void *leaver(void *arg)
{
	call(SITE_A);
	if (arg)
		pthread_exit(NULL);
	for (;;) {
		sleep(100); /* a cancellation point inside an interposed function */
	}
	return NULL;
}

/* Threads that end by pthread_exit and by cancellation; main ends by pthread_exit. */
static int leavers(void)
{
	pthread_t a, b;

	start(&a, leaver, &a);
	start(&b, leaver, NULL);
	usleep(20000);
	pthread_cancel(b);
	join(a);
	join(b);
	call(SITE_C);
	pthread_exit(NULL);
}

static int forks(void)
{
	int status;
	uint64_t token = probe_enter(&desc, SITE_MAIN);
	pid_t child;

	for (int i = 0; i < 10; i++)
		call(SITE_A);
	child = fork();
	for (int i = 0; i < (child ? 5 : 7); i++)
		call(SITE_B);
	if (!child) {
		pthread_t id;

		start(&id, worker, (void *)3);
		join(id);
		probe_leave(&desc, SITE_MAIN, token);
		_exit(0);
	}
	waitpid(child, &status, 0);
	probe_leave(&desc, SITE_MAIN, token);
	return !WIFEXITED(status) || WEXITSTATUS(status);
}

static int again(char **argv)
{
	call(SITE_A);
	execl("/proc/self/exe", argv[0], "once", NULL);
	return 1;
}

/* Announce, then wait to be killed. */
static __attribute__((noreturn)) void loop(void)
{
	for (;;)
		call(SITE_B);
}

static int killed(void)
{
	pthread_t id;

	for (int i = 0; i < 1000; i++)
		call(SITE_A);
	start(&id, worker, (void *)1000);
	join(id);
	(void)!write(1, "ready\n", 6);
	loop();
}

static int slow(void)
{
	for (int i = 0; i < 50; i++) {
		uint64_t token = probe_enter(&desc, SITE_SLOW);

		spin_us(300);
		call(SITE_A);
		probe_leave(&desc, SITE_SLOW, token);
	}
	return 0;
}

/* Far more blocks than the log holds. */
static int flood(void)
{
	for (int i = 0; i < 60000; i++) {
		uint64_t token = probe_enter(&desc, SITE_SLOW);

		spin_us(2);
		probe_leave(&desc, SITE_SLOW, token);
	}
	return 0;
}

static int many(void)
{
	for (int i = 0; i < 1000000; i++)
		call(SITE_A);
	return 0;
}

static void outer(uint32_t site, const void *target, unsigned inner)
{
	uint64_t token = probe_enter_to(&desc, site, target);

	for (unsigned i = 0; i < inner; i++)
		call(SITE_C);
	probe_leave(&desc, site, token);
}

/* C by two ways, and from a recursion of its own. */
static int paths(void)
{
	for (int i = 0; i < 100; i++) {
		outer(SITE_A, NULL, 3);
		outer(SITE_B, NULL, 2);
	}
	for (int i = 0; i < 10; i++)
		dive(20);
	return 0;
}

/* More ways to C than a thread keeps apart. */
static int crowd(void)
{
	for (uintptr_t i = 1; i <= 5000; i++)
		outer(SITE_A, (void *)(i * 64), 1);
	return 0;
}

static int sleeper(void)
{
	struct timespec ms = {0, 1000000};

	for (int i = 0; i < 20; i++) {
		uint64_t token = probe_enter(&desc, SITE_A);
		uint64_t inner = probe_enter(&desc, SITE_SLOW);

		nanosleep(&ms, NULL);
		probe_leave(&desc, SITE_SLOW, inner);
		probe_leave(&desc, SITE_A, token);
	}
	for (int i = 0; i < 1000; i++)
		call(SITE_B);
	return 0;
}

static sigjmp_buf escape;

static void escaper(int sig)
{
	(void)sig;
	handled++;
	call(SITE_C);
	siglongjmp(escape, 1);
}

/* A handler on a stack of its own jumps out of whatever it met. */
static int escapes(void)
{
	static const struct itimerval t = {{0, 50}, {0, 50}}, off = {{0, 0}, {0, 0}};
	struct sigaction sa = {.sa_handler = escaper, .sa_flags = SA_ONSTACK};
	static char stack[65536];
	stack_t alt = {.ss_sp = stack, .ss_size = sizeof(stack)};

	sigaltstack(&alt, NULL);
	sigaction(SIGALRM, &sa, NULL);
	sigsetjmp(escape, 1);
	setitimer(ITIMER_REAL, &t, NULL);
	while (handled < 1000)
		outer(SITE_A, NULL, 1);
	setitimer(ITIMER_REAL, &off, NULL);
	for (int i = 0; i < 1000; i++)
		call(SITE_B);
	printf("C=%u\n", (unsigned)handled);
	return 0;
}

static ucontext_t home, other;

static void visitor(void)
{
	for (;;) {
		uint64_t token = probe_enter(&desc, SITE_B);

		swapcontext(&other, &home);
		call(SITE_C);
		probe_leave(&desc, SITE_B, token);
	}
}

/* Two stacks switched by hand, each in the middle of a call. */
static int contexts(void)
{
	static char stack[65536];

	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof(stack);
	makecontext(&other, visitor, 0);
	for (int i = 0; i < 1000; i++) {
		uint64_t token = probe_enter(&desc, SITE_A);

		swapcontext(&home, &other);
		probe_leave(&desc, SITE_A, token);
	}
	return 0;
}

static int indirect(void)
{
	for (int i = 0; i < 3000; i++) {
		uint64_t token = probe_enter_to(&desc, SITE_A, i % 3 ? (void *)0x1000 : (void *)0x2000);

		probe_leave(&desc, SITE_A, token);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	static const struct {
		const char *name;
		int (*run)(void);
	} all[] = {
		{"recursion", recursion}, {"deep", deep},         {"jumps", jumps},   {"signals", signals},
		{"threads", threads},     {"forks", forks},       {"slow", slow},     {"flood", flood},
		{"leavers", leavers},     {"many", many},         {"killed", killed}, {"indirect", indirect},
		{"masks", masks},         {"paths", paths},       {"crowd", crowd},   {"sleeper", sleeper},
		{"escapes", escapes},     {"contexts", contexts},
	};

	if (!strcmp(what, "churn"))
		return churn(argc > 2 ? (unsigned)atoi(argv[2]) : 10000);
	if (!strcmp(what, "ticked"))
		return ticked(argc > 2 ? (unsigned)atoi(argv[2]) : 2000);
	if (!strcmp(what, "exec"))
		return again(argv);
	if (!strcmp(what, "once")) {
		call(SITE_B);
		return 0;
	}
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(what, all[i].name))
			return all[i].run();
	return 2;
}
