/* SPDX-License-Identifier: MIT */
/* setjmp in all forms, out of handlers, on an alternate stack; nested functions; asm goto; computed goto. */
/* skips: returns-twice */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static sigjmp_buf out;
static jmp_buf top;
static volatile int taken, depth, ticks;

__attribute__((noinline)) static int mix(int a, int b)
{
	return a * 31 + b;
}
__attribute__((noinline)) static void leave_by(int how)
{
	taken = mix(taken, how);
	if (how & 1)
		siglongjmp(out, how);
	longjmp(top, how);
}
static void on_signal(int s, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	taken = mix(taken, s);
	leave_by(s == SIGUSR1 ? 5 : 7);
}
static void on_fault(int s)
{
	taken = mix(taken, s);
	siglongjmp(out, 9);
}
static void on_alarm(int s)
{
	ticks += mix(s, 0) > 0;
}
__attribute__((noinline)) static int fall(int n)
{
	volatile char big[256];

	big[n & 255] = (char)n;
	depth++;
	return fall(n + 1) + big[n & 255];
}
__attribute__((noinline)) static int deeper(int n, int sig)
{
	if (n == 0)
		raise(sig);
	return mix(deeper(n - 1, sig), n);
}
static void handlers(void)
{
	stack_t alt = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
	struct sigaction a;

	memset(&a, 0, sizeof(a));
	sigaltstack(&alt, NULL);
	a.sa_sigaction = on_signal;
	a.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigaction(SIGUSR1, &a, NULL);
	sigaction(SIGUSR2, &a, NULL);
	a.sa_flags = SA_ONSTACK;
	a.sa_handler = on_fault;
	sigaction(SIGFPE, &a, NULL);
	sigaction(SIGSEGV, &a, NULL);
}
static int nested(int n)
{
	__label__ done;
	int found = 0, sum = 0;
	int by_size(const void *x, const void *y)
	{
		sum++;
		return *(const int *)x - *(const int *)y;
	}
	void look(int i)
	{
		found = i;
		if (mix(i, i) > n)
			goto done;
		look(i + 1);
	}
	int v[5] = { 3, 1, 4, 1, 5 };

	qsort(v, 5, sizeof(v[0]), by_size);
	look(1);
done:
	return found * 100 + v[4] + (sum > 3);
}
__attribute__((noinline)) static int odd_bits(unsigned x)
{
	int n = 0;

again:
	if (!x)
		return n;
	__asm__ goto("testl $1, %0\n\tjz %l[even]" : : "r"(x) : "cc" : even);
	n = mix(n, 1);
even:
	x >>= 1;
	goto again;
}
static int machine(const char *code)
{
	static void *const op[] = { &&add, &&twice, &&stop };
	int acc = 1;

	goto *op[*code++ - '0'];
add:
	acc = mix(acc, 3);
	goto *op[*code++ - '0'];
twice:
	acc = mix(acc, acc) & 0xffff;
	goto *op[*code++ - '0'];
stop:
	return acc;
}
static void interrupted(void)
{
	struct itimerval every = { { 0, 300 }, { 0, 300 } }, off;

	memset(&off, 0, sizeof(off));
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; ticks < 40; i++)
		depth = mix(depth, i) & 0xff;
	setitimer(ITIMER_REAL, &off, NULL);
}

int main(void)
{
	volatile int round = 0;
	int r;

	handlers();
	for (round = 0; round < 4; round++) {
		r = sigsetjmp(out, 1);
		if (!r)
			deeper(round, SIGUSR1);
		if ((r = setjmp(top)) == 0)
			leave_by(6);
	}
	printf("%d %x\n", r, (unsigned)taken);
	for (round = 0; round < 3; round++) {
		volatile int zero = 0;

		if (!(r = sigsetjmp(out, 1)))
			taken = mix(5 / zero, taken);
	}
	printf("%d %x\n", r, (unsigned)taken);
	depth = 0;
	if (!(r = sigsetjmp(out, 1)))
		fall(0);
	printf("%d %d\n", r, depth > 1000);
	for (round = 0; round < 3; round++)
		if (!(r = setjmp(top)))
			leave_by(4 + 2 * round);
	printf("%d %x %d %d %d\n", r, (unsigned)taken, nested(500), odd_bits(0xb5u), machine("0110012"));
	interrupted();
	return 5;
}
