/* SPDX-License-Identifier: MIT */
/*
 * Cost of a call-site probe.  Three workloads with calls so short that a probe
 * dominates them; prints thread CPU nanoseconds per call of the best of several
 * repetitions, and the cost of one clock read taken back to back in the same
 * process:
 *
 *	clock_ns fib_ns leaf_ns tree_ns
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

enum { FIB = 27, LEAVES = 2000000, DEPTH = 18, REPEATS = 7 };

struct node {
	struct node *left, *right;
	long value;
};

__attribute__((noinline)) static long fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) static long leaf(long x)
{
	return x * 3 + 1;
}

static long loop_leaf(void)
{
	long x = 1;

	for (int i = 0; i < LEAVES; i++)
		x = leaf(x) & 0xffff;
	return x;
}

static struct node *make_tree(int depth)
{
	struct node *n = calloc(1, sizeof(*n));

	if (!n)
		exit(1);
	n->value = depth;
	if (depth) {
		n->left = make_tree(depth - 1);
		n->right = make_tree(depth - 1);
	}
	return n;
}

__attribute__((noinline)) static long sum_tree(const struct node *n)
{
	return n ? n->value + sum_tree(n->left) + sum_tree(n->right) : 0;
}

static double cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static double best(double a, double b)
{
	return a == 0 || b < a ? b : a;
}

int main(void)
{
	struct node *tree = make_tree(DEPTH);
	double clock = 0, f = 0, l = 0, t = 0, begin;
	uint64_t sink = 0;

	for (int r = 0; r < REPEATS; r++) {
		begin = cpu_ns();
		for (int i = 0; i < 1000000; i++)
			sink += __rdtsc();
		clock = best(clock, (cpu_ns() - begin) / 1e6);
		begin = cpu_ns();
		sink += (uint64_t)fib(FIB);
		f = best(f,
			 (cpu_ns() - begin) /
				 832040.0); /* calls made by fib(27): 2*fib(28)-1 = 832039, and the first */
		begin = cpu_ns();
		sink += (uint64_t)loop_leaf();
		l = best(l, (cpu_ns() - begin) / LEAVES);
		begin = cpu_ns();
		sink += (uint64_t)sum_tree(tree);
		t = best(t, (cpu_ns() - begin) / ((1 << (DEPTH + 2)) - 1.0));
	}
	printf("%.3f %.3f %.3f %.3f\n", clock, f, l, t);
	return sink == 42;
}
