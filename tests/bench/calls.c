/* SPDX-License-Identifier: MIT */
/*
 * calls [THREADS]: cost of a call-site probe.  Seven workloads with calls so
 * short that a probe dominates them; prints the cost of one clock read taken
 * back to back in this process, and thread CPU nanoseconds per call, each the
 * best of several repetitions:
 *
 *	clock F L L2 R D H T
 *
 *	F   doubly recursive fib             L   loop over a small function
 *	L2  the same, index as argument      R   12 integers live over the call
 *	D   4 doubles live over the call     H   heap sort through a pointer
 *	T   recursive sum of a tree
 *
 * With THREADS above 1 that many threads run the same at once, and the slowest
 * one's figures are printed.  OFFSET moves the code by so many bytes.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

#ifndef OFFSET
#define OFFSET 0
#endif
#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
__asm__(".text\n\t.balign 64\n\t.if " TEXT(OFFSET) "\n\t.skip " TEXT(OFFSET) ", 0x90\n\t.endif\n");

#ifndef REPEATS
#define REPEATS 9
#endif
enum { FIB = 24, LEAVES = 300000, KEYS = 20000, DEPTH = 15, THREADS_MAX = 64 };
#define WORKLOADS 7
#define keep      __attribute__((noinline, noclone))

struct node {
	struct node *left, *right;
	long value;
};

struct job {
	struct node *tree;
	long *keys;
	uint64_t calls; /* of the last workload */
	double clock, ns[WORKLOADS];
	uint64_t sink;
};

keep static long fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

keep static long leaf(long x)
{
	return x * 3 + 1;
}

static uint64_t run_fib(struct job *j)
{
	j->calls = 2 * 75025 - 1; /* 2 * fib(25) - 2 by itself, and once from here */
	return (uint64_t)fib(FIB);
}

static uint64_t run_leaf(struct job *j)
{
	long x = 1;

	for (int i = 0; i < LEAVES; i++)
		x = leaf(x) & 0xffff;
	j->calls = LEAVES;
	return (uint64_t)x;
}

static uint64_t run_index(struct job *j)
{
	uint64_t x = 0;

	for (long i = 0; i < LEAVES; i++)
		x += (uint64_t)leaf(i);
	j->calls = LEAVES;
	return x;
}

static uint64_t run_live(struct job *j)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, k = 9, l = 10, m = 11, n = 12;

	for (int i = 0; i < LEAVES; i++) {
		uint64_t x = (uint64_t)leaf(i);

		a += x;
		b ^= a;
		c += b;
		d ^= c;
		e += d;
		f ^= e;
		g += f;
		h ^= g;
		k += h;
		l ^= k;
		m += l;
		n ^= m;
	}
	j->calls = LEAVES;
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ k ^ l ^ m ^ n;
}

keep static double half(double x)
{
	return x * 0.5;
}

static uint64_t run_double(struct job *j)
{
	double a = 1, b = 2, c = 3, d = 4;

	for (int i = 0; i < LEAVES; i++) {
		double x = half(i);

		a += x;
		b -= a * 0.25;
		c += b * 0.5;
		d -= c * 0.125;
	}
	j->calls = LEAVES;
	return (uint64_t)(int64_t)(a + b + c + d > 0);
}

keep static int before(long a, long b)
{
	return a < b;
}

static inline __attribute__((always_inline)) uint64_t sift(long *v, long root, long n,
							   int (*less)(long, long))
{
	uint64_t calls = 0;

	for (long child; (child = 2 * root + 1) < n; root = child) {
		long t = v[root];

		if (child + 1 < n) {
			calls++;
			child += less(v[child], v[child + 1]);
		}
		calls++;
		if (!less(t, v[child]))
			break;
		v[root] = v[child];
		v[child] = t;
	}
	return calls;
}

static int (*volatile order)(long, long) = before;

static uint64_t run_heap(struct job *j)
{
	int (*less)(long, long) = order;
	long *v = j->keys;
	uint32_t random = 1;

	j->calls = 0;
	for (long i = 0; i < KEYS; i++) {
		random = random * 1664525u + 1013904223u;
		v[i] = random >> 8;
	}
	for (long i = KEYS / 2; i-- > 0;)
		j->calls += sift(v, i, KEYS, less);
	for (long n = KEYS; --n > 0;) {
		long t = v[0];

		v[0] = v[n];
		v[n] = t;
		j->calls += sift(v, 0, n, less);
	}
	return (uint64_t)v[KEYS / 3];
}

keep static long sum_tree(const struct node *n)
{
	return n ? n->value + sum_tree(n->left) + sum_tree(n->right) : 0;
}

static uint64_t run_tree(struct job *j)
{
	j->calls = (1u << (DEPTH + 2)) - 1;
	return (uint64_t)sum_tree(j->tree);
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

static double time_clock(uint64_t *sink)
{
	double begin = cpu_ns();

	for (int i = 0; i < 100000; i++)
		*sink += __rdtsc();
	return (cpu_ns() - begin) / 1e5;
}

static void *run_all(void *arg)
{
	static uint64_t (*const all[WORKLOADS])(struct job *) = {run_fib,    run_leaf, run_index, run_live,
								 run_double, run_heap, run_tree};
	struct job *j = arg;

	for (int r = 0; r < REPEATS; r++) {
		j->clock = best(j->clock, time_clock(&j->sink));
		for (int w = 0; w < WORKLOADS; w++) {
			double begin = cpu_ns(), end;

			j->sink += all[w](j);
			end = cpu_ns();
			j->ns[w] = best(j->ns[w], (end - begin) / (double)j->calls);
		}
	}
	return NULL;
}

static struct job job[THREADS_MAX];

static void prepare(struct job *j)
{
	j->tree = make_tree(DEPTH);
	j->keys = calloc(KEYS, sizeof(*j->keys));
	if (!j->keys)
		exit(1);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t id[THREADS_MAX];

	if (n < 1 || n > THREADS_MAX)
		return 2;
	for (int i = 0; i < n; i++)
		prepare(&job[i]);
	for (int i = 1; i < n; i++)
		if (pthread_create(&id[i], NULL, run_all, &job[i]))
			return 1;
	run_all(&job[0]);
	for (int i = 1; i < n; i++)
		pthread_join(id[i], NULL);
	for (int i = 1; i < n; i++)
		for (int w = 0; w < WORKLOADS; w++)
			if (job[i].ns[w] > job[0].ns[w])
				job[0].ns[w] = job[i].ns[w];
	printf("%.3f", job[0].clock);
	for (int w = 0; w < WORKLOADS; w++)
		printf(" %.3f", job[0].ns[w]);
	putchar('\n');
	return job[0].sink == 42;
}
