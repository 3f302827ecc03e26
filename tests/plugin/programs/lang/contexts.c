/* SPDX-License-Identifier: MIT */
/* Stacks of one's own, alloca, variable arrays, cleanups, va_arg, realigned frames. */
/* skips: returns-twice */
#define _GNU_SOURCE
#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static ucontext_t home, ctx[3];
static int log_n, turns, cleaned;

__attribute__((noinline)) static int put(int x)
{
	log_n = log_n * 7 + x;
	return x;
}
__attribute__((noinline)) static void yield(int me)
{
	turns++;
	swapcontext(&ctx[me], turns < 40 ? &ctx[(me + 1) % 3] : &home);
}
static void worker(int me, int n)
{
	for (int i = 0; i < n; i++) {
		put(me + i);
		yield(me);
	}
}
static void contexts(void)
{
	for (int i = 0; i < 3; i++) {
		getcontext(&ctx[i]);
		ctx[i].uc_stack.ss_sp = malloc(1 << 16);
		ctx[i].uc_stack.ss_size = 1 << 16;
		ctx[i].uc_link = &home;
		makecontext(&ctx[i], (void (*)(void))worker, 2, i, 50);
	}
	swapcontext(&home, &ctx[0]);
	printf("%d %d\n", turns, log_n);
}
__attribute__((noinline)) static unsigned text(const char *s, int n)
{
	char *p = alloca((size_t)n * 2 + 1), v[n + 3];
	unsigned h = 0;

	memcpy(p, s, (size_t)n);
	p[n] = 0;
	snprintf(v, (size_t)n + 3, "%s", p);
	for (char *c = v; *c; c++)
		h = h * 33 + (unsigned)put(*c);
	return h;
}
static void release(int **p)
{
	cleaned = put(cleaned + **p);
	free(*p);
}
__attribute__((noinline)) static int scoped(int n)
{
	int *x __attribute__((cleanup(release))) = malloc(sizeof(*x));

	*x = n;
	for (int i = 0; i < n; i++) {
		int *y __attribute__((cleanup(release))) = malloc(sizeof(*y));

		*y = i;
		if (i == 5)
			return put(i);
		if (i & 1)
			continue;
		put(i);
	}
	return put(n);
}
__attribute__((noinline)) static double vsum(int n, va_list ap)
{
	double s = 0;

	for (int i = 0; i < n; i++)
		switch (i % 4) {
		case 0: s += va_arg(ap, int); break;
		case 1: s += va_arg(ap, double); break;
		case 2: s += (double)va_arg(ap, long double); break;
		case 3: s += strlen(va_arg(ap, const char *)); break;
		}
	return s;
}
__attribute__((noinline)) static double sum(int n, ...)
{
	va_list ap, copy;
	double s;

	va_start(ap, n);
	va_copy(copy, ap);
	s = vsum(n, ap) + 2 * vsum(n, copy);
	va_end(copy);
	va_end(ap);
	return s;
}
typedef int wide __attribute__((vector_size(32)));
__attribute__((noinline)) static int aligned(int n)
{
	wide w __attribute__((aligned(64))) = { n, 1, 2, 3, 4, 5, 6, 7 };
	char pad[n + 1];

	memset(pad, n, sizeof(pad));
	w += put(pad[n]);
	return w[0] + w[7] + (int)((unsigned long)&w & 63);
}

int main(void)
{
	contexts();
	printf("%u %u\n", text("the quick brown fox", 19), text("", 0));
	printf("%d %d %d\n", scoped(3), scoped(9), cleaned);
	printf("%.3f\n", sum(8, 1, 2.5, 3.25L, "four", 5, 6.5, 7.75L, "eight"));
	printf("%d %d\n", aligned(3), aligned(40));
	return log_n & 63;
}
