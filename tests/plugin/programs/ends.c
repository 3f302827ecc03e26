/* SPDX-License-Identifier: MIT */
/* Calls that do not come back, tail calls, cleanups, hard registers, ifunc, constructors. */
#include <stdio.h>
#include <stdlib.h>

static int order;
int sink;

__attribute__((constructor(200))) static void early(void)
{
	order = order * 10 + 1;
}
__attribute__((destructor)) static void late(void)
{
	printf("late %d\n", order);
}
static void at_exit(void)
{
	printf("at exit %d\n", sink);
}
static int fast(int x)
{
	return x + 1;
}
static int (*choose(void))(int)
{
	return fast;
}
int chosen(int x) __attribute__((ifunc("choose")));

__attribute__((noinline)) static int even(unsigned n);
__attribute__((noinline)) static int odd(unsigned n)
{
	return n == 0 ? 0 : even(n - 1);
}
__attribute__((noinline)) static int even(unsigned n)
{
	return n == 0 ? 1 : odd(n - 1);
}
static void release(int *p)
{
	order = order * 10 + *p;
}
__attribute__((noinline)) static int scoped(int n)
{
	int x __attribute__((cleanup(release))) = n;

	return n > 3 ? x * chosen(x) : x;
}
__attribute__((noinline)) static long hard(long a, long b)
{
	register long r12 __asm__("r12") = a;
	register long r13 __asm__("r13") = b;

	__asm__ volatile("addq %1, %0" : "+r"(r12) : "r"(r13));
	return r12;
}
__attribute__((noinline, noreturn)) static void leave(int code)
{
	sink += code;
	exit(code & 63);
}
__attribute__((perseus_no_probe, noinline)) static int untouched(int x)
{
	return printf("untouched %d\n", x);
}

int main(int argc, char **argv)
{
	atexit(at_exit);
	for (int i = 2; i < 6; i++)
		sink += scoped(i);
	printf("%d %d %ld\n", even(200), odd(31), hard(40, 2));
	untouched(argc);
	(void)argv;
	if (sink > 3)
		leave(sink + 41);
	abort();
}
