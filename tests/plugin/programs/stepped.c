/* SPDX-License-Identifier: MIT */
/* Frames of every shape for step.c: leaf with data below the stack pointer, variable, realigned, cold, tail calls. */
#include <alloca.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline, noclone))
struct node { struct node *next; long key, count; };
static struct node *list;
static long total, grid[64];
static volatile int zero;
static jmp_buf top;

KEEP static long leaf(const long *p, int n)
{
	long a[12];

	for (int i = 0; i < 12; i++)
		a[i] = p[(i * n) & 31] + i;
	for (int i = 1; i < 12; i++)
		a[i] ^= a[(i * 5) % 12];
	return a[3] + a[11] * 3 + p[1];
}
KEEP static long variable(int n)
{
	long *p = alloca((size_t)n * 8 + 256), v[n];

	memset(p, n, (size_t)n * 8 + 256);
	for (int i = 0; i < n; i++)
		p[i] = v[n - 1 - i] = grid[i] + i;
	return leaf(p, n & 3) + v[zero];
}
KEEP static long realigned(int n)
{
	long a[8] __attribute__((aligned(64)));

	for (int i = 0; i < 8; i++)
		a[i] = grid[i + n] * 2;
	return leaf(grid, n) + a[n & 7] + ((long)a & 63);
}
KEEP static struct node *push(long key)
{
	struct node *n = malloc(sizeof(*n));

	n->next = list;
	n->key = key;
	n->count = 0;
	list = n;
	return n;
}
KEEP static long many(long a, long b, long c, long d, long e, long f, long g, long h)
{
	long x = a * b, y = c ^ d, z = e + f;

	total += leaf(grid, (int)a);
	grid[x & 63] += y;
	return x + y * z - g * h + leaf(grid, (int)h) + a + b + c + d;
}
__attribute__((cold, noinline)) static void rare(long x)
{
	total += leaf(grid, (int)x);
	__atomic_fetch_add(&grid[3], x, __ATOMIC_SEQ_CST);
}
KEEP static long hot_and_cold(int n)
{
	long s = 0;

	for (int i = 0; i < n; i++) {
		if (__builtin_expect(grid[i] == 13, 0)) {
			rare(i);
			push(i)->count++;
		}
		s += grid[i] * i;
	}
	return s;
}
KEEP static long odd(int n, const long *p);
KEEP static long even(int n, const long *p)
{
	total += *p;
	return n ? odd(n - 1, p + 1) : total;
}
KEEP static long odd(int n, const long *p)
{
	grid[n] ^= *p;
	return n ? even(n - 1, p) : 0;
}
static long (*volatile indirect)(const long *, int) = leaf;
KEEP static int back(int n)
{
	if (!n)
		longjmp(top, 5);
	return back(n - 1) + (int)total;
}
KEEP static void swap(double *d, int n)
{
	for (int i = 0; i < n; i++)
		d[i] = d[i] * 1.5 + (double)grid[i];
}
KEEP static unsigned words(const char *s)
{
	char *copy = strdup(s), *more = realloc(copy, 200);
	unsigned h = 0;

	for (char *c = more; *c; c++)
		h = h * 31 + (unsigned char)*c;
	free(more);
	return h;
}

int stepped(void)
{
	double *d = calloc(16, sizeof(double));
	long s = 0;

	for (int i = 0; i < 64; i++)
		grid[i] = i * 7 % 29;
	for (int i = 0; i < 3; i++) {
		s += variable(5 + i) + realigned(i) + many(i, 2, 3, 4, 5, 6, 7, 8) + hot_and_cold(14 + i);
		s += even(i, grid) + indirect(grid, i) + push(i)->key;
		if (!setjmp(top))
			back(3);
	}
	/* Each turn of a loop that the compiler took apart is a place of its own. */
	for (int i = 0; i < 17; i++) {
		long keep = grid[i];

		grid[i] = 13;
		s += hot_and_cold(17);
		grid[i] = keep;
	}
	swap(d, 16);
	s += (long)d[3] + words("the stack is whole");
	for (struct node *n = list; n; n = n->next)
		s += n->key + n->count++;
	for (int i = 0; i < 5; i++)
		s += leaf(grid, i & 7);
	return (int)(s & 0xffff);
}
