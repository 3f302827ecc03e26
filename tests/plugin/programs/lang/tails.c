/* SPDX-License-Identifier: MIT */
/* Tail calls, always_inline, naked, ifunc, priorities of constructors, return addresses, clones, folding. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int order[8], n_order;

__attribute__((noinline)) static void note(int x)
{
	if (n_order < 8)
		order[n_order++] = x;
}
__attribute__((constructor(300))) static void third(void) { note(3); }
__attribute__((constructor(101))) static void first(void) { note(1); }
__attribute__((constructor(200))) static void second(void) { note(2); }
__attribute__((constructor)) static void last(void) { note(4); }
__attribute__((destructor(101))) static void gone(void) { printf("gone %d\n", n_order); }
__attribute__((destructor)) static void going(void) { note(5); printf("going %d\n", n_order); }

static int fast(int x) { return x + 1; }
static int slow(int x) { return x + 2; }
static int (*choose(void))(int) { return sizeof(long) == 8 ? fast : slow; }
int chosen(int x) __attribute__((ifunc("choose")));

/* Hooks of -finstrument-functions and counters of -fprofile-generate in a naked function would be wrong code. */
__attribute__((naked, noinline, no_instrument_function, no_profile_instrument_function)) static long raw(long x)
{
	__asm__("leaq 5(%rdi,%rdi), %rax\n\tret");
}
static int twice_of(long (*f)(long), int x) { return (int)f(x); }

__attribute__((noinline)) static int odd(unsigned n);
__attribute__((noinline)) static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
__attribute__((noinline)) static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }

struct state { long v[6]; };
typedef struct state (*step)(struct state, int);
static struct state up(struct state s, int n);
__attribute__((noinline)) static struct state down(struct state s, int n)
{
	step volatile next = up;

	s.v[n % 6]--;
	if (n == 0)
		return s;
	return next(s, n - 1);
}
__attribute__((noinline)) static struct state up(struct state s, int n)
{
	s.v[n % 6] += n;
	if (n == 0)
		return s;
	return down(s, n - 1);
}
static inline __attribute__((always_inline)) int both(int x) { return chosen(x) + chosen(x + 1); }
__attribute__((noinline)) static int a_of(int x) { return both(x) + 7; }
__attribute__((noinline)) static int b_of(int x) { return both(x) + 7; }

__attribute__((noinline)) static const void *who(void) { return __builtin_return_address(0); }
__attribute__((noinline)) static int near_me(void)
{
	long d = (const char *)who() - (const char *)near_me;

	return d > 0 && d < 10000 && __builtin_return_address(0) != NULL;
}
/* constprop, isra and part clones */
__attribute__((noinline)) static int clone(int *p, int k, int mode)
{
	if (mode == 3)
		return chosen(*p) * k;
	return chosen(*p + k);
}
__attribute__((noinline)) static int partly(int *p)
{
	if (*p < 10)
		return 1;
	for (int i = 0; i < *p; i++)
		if (chosen(i) > 12)
			return i;
	return 0;
}
__attribute__((cold, noinline)) static int rare(int x) { return printf("rare %d\n", x); }
__attribute__((hot, noinline)) static int busy(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++) {
		if (__builtin_expect(i == 77, 0))
			s += rare(chosen(i));
		s ^= chosen(s + i);
	}
	return s;
}

int main(void)
{
	struct state s;
	int v = 20;

	memset(&s, 0, sizeof(s));
	s = up(s, 25);
	printf("%d%d%d%d\n", order[0], order[1], order[2], order[3]);
	printf("%d %d %ld %ld\n", even(1000), odd(1001), s.v[0], s.v[5]);
	printf("%d %d %d %d\n", a_of(3), b_of(4), twice_of(raw, 6), near_me());
	printf("%d %d %d %d\n", clone(&v, 3, 3), clone(&v, 4, 3), partly(&v), busy(100));
	return a_of(v) & 63;
}
