/* SPDX-License-Identifier: MIT */
/* Numbers that are moved as bytes or integers; a tenth of them is denormal. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N        200
#define NOINLINE __attribute__((noinline)) static

struct block {
	float v[N];
};

static float a[N], b[N], w[N];
static double x[N], y[N];
static long double l[N], m[N];
static int i1[N], i2[N];
static struct block p, q;

NOINLINE void by_memcpy(float *to, const float *from, size_t n)
{
	memcpy(to, from, n * sizeof(*to));
}

NOINLINE void by_memmove(double *to, size_t n)
{
	memmove(to + 10, to, n * sizeof(*to));
}

NOINLINE void wide(void)
{
	memcpy(m, l, sizeof(m));
}

NOINLINE void by_struct(struct block *to, const struct block *from)
{
	*to = *from;
}

NOINLINE void by_integers(float *to, const float *from, int n)
{
	int32_t *t = (int32_t *)to;
	const int32_t *f = (const int32_t *)from;

	for (int i = 0; i < n; i++)
		t[i] = f[i];
}

NOINLINE void longs(double *to, const double *from, int n)
{
	for (int i = 0; i < n; i++)
		*(volatile int64_t *)&to[i] = *(const volatile int64_t *)&from[i];
}

/* Small integers in an array of floats, as FFT libraries keep their factors. */
NOINLINE void factors(float *work, int n)
{
	int *f = (int *)work;

	for (int i = 0; i < n; i++)
		f[i] = i;
}

/* Of these none is floating point. */
NOINLINE void integers(int *to, const int *from, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = from[i];
	memcpy(to, from, (size_t)n * sizeof(*to));
}

int main(int argc, char **argv)
{
	float tiny = argc > 1 ? 1 : 1e-40f;
	int n = N;
	double sum = 0;

	(void)argv;
	for (int i = 0; i < N; i++) {
		a[i] = i % 10 ? 1 : tiny;
		x[i] = i % 10 || argc > 1 ? 1 : 1e-310;
		l[i] = i % 10 || argc > 1 ? 1 : 1e-4940L;
		i1[i] = 3;
	}
	p = *(const struct block *)(const void *)a;
	by_memcpy(b, a, (size_t)n);
	by_memmove(x, (size_t)n - 10);
	wide();
	by_struct(&q, &p);
	by_integers(b, a, n);
	longs(y, x, n);
	factors(w, n);
	integers(i2, i1, n);
	for (int i = 0; i < N; i++)
		sum += (double)b[i] + x[i] + (double)m[i] + (double)q.v[i] + y[i] + (double)w[i] + i2[i];
	printf("%a\n", sum);
	return 0;
}
