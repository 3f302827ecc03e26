/* SPDX-License-Identifier: MIT */
/* Known numbers of calls: each is announced to made.h by the caller, right before it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "made.h"

#define KEEP __attribute__((noinline, noclone))
static jmp_buf top;
static sigjmp_buf out;
static volatile int ticks, sink;
static unsigned long hot_calls;

/* Each does something that must not be left out, after its last call if it calls itself. */
KEEP static int leaf(int x) { sink = x; return x + 1; }
KEEP static int hot(int x) { sink = x; return x ^ 1; }
KEEP static int fib(int n)
{
	int a, b;

	if (n < 2)
		return n;
	MADE(fib, fib);
	a = fib(n - 1);
	MADE(fib, fib);
	b = fib(n - 2);
	sink = b;
	return a + b;
}
KEEP static int odd(unsigned n);
KEEP static int even(unsigned n)
{
	if (!n)
		return 1;
	MADE(even, odd);
	return odd(n - 1);
}
KEEP static int odd(unsigned n)
{
	if (!n)
		return 0;
	MADE(odd, even);
	return even(n - 1);
}
static int (*volatile table[])(int) = { leaf, hot };
KEEP static int by_pointer(int i)
{
	MADE(by_pointer, indirect);
	return table[i & 1](i);
}
KEEP static void jump(int n)
{
	if (!n) {
		MADE(jump, longjmp);
		longjmp(top, 1);
	}
	MADE(jump, jump);
	jump(n - 1);
	sink++;
}
/* inlined twice into one function and once into another; unrolled by hand and by the compiler */
static inline __attribute__((always_inline)) int pair(int x)
{
	int a;

	MADE(pair, leaf);
	a = leaf(x);
	MADE(pair, leaf);
	return leaf(a);
}
KEEP static int twice(int x)
{
	return pair(x) + pair(x + 1);
}
KEEP static int unrolled(const int *v)
{
	int s = 0;

	for (int i = 0; i < 8; i++) {
		MADE(unrolled, leaf);
		s += leaf(v[i]);
	}
	return s + pair(s);
}
/* a cold path, a clone for a constant, a loop that is split off */
static __attribute__((noinline)) int cloned(int x, int mode)
{
	if (mode == 7) {
		MADE(cloned, leaf);
		return leaf(x) * 2;
	}
	MADE(cloned, leaf);
	return leaf(x);
}
static __attribute__((noinline)) int partial(int n)
{
	int s = 0;

	if (__builtin_expect(n < 5, 1))
		return n;
	for (int i = 0; i < n; i++) {
		MADE(partial, leaf);
		s += leaf(i);
	}
	return s;
}
static void on_alarm(int s)
{
	(void)s;
	MADE(on_alarm, leaf);
	ticks += leaf(1) > 0;
}
static void on_user(int s)
{
	MADE(on_user, leaf);
	leaf(s);
	MADE(on_user, siglongjmp);
	siglongjmp(out, 1);
}
KEEP static void raised(int n)
{
	if (n == 0) {
		MADE(raised, raise);
		raise(SIGUSR1);
	}
	MADE(raised, raised);
	raised(n - 1);
	sink++;
}
static void *run(void *arg)
{
	long n = (long)arg;

	for (long i = 0; i < n; i++) {
		MADE(run, leaf);
		leaf((int)i);
	}
	if (n == 3) {
		MADE(run, pthread_exit);
		pthread_exit(NULL);
	}
	return NULL;
}
KEEP static void jumps(void)
{
	for (volatile int i = 0; i < 30; i++)
		if (!setjmp(top)) {
			MADE(jumps, jump);
			jump(i);
		}
	signal(SIGUSR1, on_user);
	for (volatile int i = 0; i < 30; i++)
		if (!sigsetjmp(out, 1)) {
			MADE(jumps, raised);
			raised(i & 7);
		}
}
KEEP static void signals(void)
{
	struct itimerval every = { { 0, 200 }, { 0, 200 } }, off = { { 0, 0 }, { 0, 0 } };

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &every, NULL);
	while (ticks < 200) {
		MADE(signals, leaf);
		leaf(ticks);
	}
	setitimer(ITIMER_REAL, &off, NULL);
}
KEEP static void threads(int rounds)
{
	pthread_t t[4];

	for (int r = 0; r < rounds; r++) {
		for (long i = 0; i < 4; i++) {
			MADE(threads, pthread_create);
			pthread_create(&t[i], NULL, run, (void *)(i + 1));
		}
		for (int i = 0; i < 4; i++) {
			MADE(threads, pthread_join);
			pthread_join(t[i], NULL);
		}
	}
}
KEEP static void child(void)
{
	pid_t pid;

	MADE(child, fork);
	pid = fork();
	if (!pid) {
		for (int i = 0; i < 100; i++) {
			MADE(child, twice);
			sink += twice(i);
		}
		MADE(child, _exit);
		_exit(0);
	}
	MADE(child, waitpid);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	int v[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	(void)argv;
	made_begin();
	for (hot_calls = 0; hot_calls < 300000; hot_calls++)
		sink += hot(argc); /* counted by the loop: 300000 */
	for (int i = 0; i < 1001; i++) {
		MADE(main, by_pointer);
		sink += by_pointer(i);
		MADE(main, twice);
		sink += twice(i);
		MADE(main, unrolled);
		sink += unrolled(v);
		MADE(main, cloned);
		sink += cloned(i, 7);
		MADE(main, cloned);
		sink += cloned(i, argc);
		MADE(main, partial);
		sink += partial(i & 15);
	}
	MADE(main, fib);
	sink += fib(15);
	MADE(main, even);
	sink += even(1001);
	MADE(main, jumps);
	jumps();
	MADE(main, signals);
	signals();
	MADE(main, threads);
	threads(60);
	MADE(main, child);
	child();
	MADE(main, exit);
	MADE(main, printf);
	printf("main hot %lu\n", hot_calls);
	made_print(stdout);
	exit(0);
}
