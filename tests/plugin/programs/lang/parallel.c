/* SPDX-License-Identifier: MIT */
/* OpenMP: loops, tasks, sections, reductions, simd, critical, ordered, single, threadprivate. */
/* flags: -fopenmp */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static long total;
static int marks[8], mine;
#pragma omp threadprivate(mine)

__attribute__((noinline)) static long work(long i) { return i * i % 17; }
static long fib(int n)
{
	long a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a) firstprivate(n)
	a = fib(n - 1);
#pragma omp task shared(b) firstprivate(n)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}
static long loops(int n)
{
	long s = 0, m = 0;
	int order = 0;

#pragma omp parallel for reduction(+ : s) reduction(max : m) schedule(dynamic, 3)
	for (int i = 0; i < n; i++) {
		long w = work(i);

		s += w;
		m = w > m ? w : m;
	}
#pragma omp parallel for ordered schedule(static, 1)
	for (int i = 0; i < 10; i++) {
		long w = work(i);
#pragma omp ordered
		order = (order * 3 + (int)w) % 10007;
	}
	return s * 1000 + m + order;
}
static void sections(void)
{
#pragma omp parallel sections
	{
#pragma omp section
		marks[0] = (int)work(5);
#pragma omp section
		marks[1] = (int)work(6);
#pragma omp section
		marks[2] = (int)work(7);
	}
}
static void single(void)
{
#pragma omp parallel num_threads(3)
	{
		mine = (int)work(omp_get_thread_num());
#pragma omp barrier
#pragma omp critical
		total += mine + 1;
#pragma omp single
		marks[3]++;
#pragma omp atomic
		marks[4]++;
#pragma omp master
		marks[5] += (int)work(9);
	}
}

int main(void)
{
	long f = 0;

	omp_set_num_threads(3);
	printf("%ld\n", loops(300));
	sections();
	single();
#pragma omp parallel
#pragma omp single
	f = fib(12);
	printf("%ld %ld %d %d %d %d %d %d\n", f, total, marks[0], marks[1], marks[2], marks[3], marks[4], marks[5]);
	return 0;
}
