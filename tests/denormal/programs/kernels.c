/* SPDX-License-Identifier: MIT */
/* Denormals in values of all types and in loops of all kinds; prints hashes of the results and the flags raised. */
#include <complex.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>

#define N        1003
#define NOINLINE __attribute__((noinline)) static

typedef float v4 __attribute__((vector_size(16)));
#ifdef __FLT16_MANT_DIG__
typedef _Float16 narrow;
#else /* GCC 11 has none on x86-64 */
typedef float narrow;
#endif

static float a[N], b[N], c[N];
static double x[N], y[N], z[N];
static _Complex double q[N], w[N];
static long double ld[N];
static narrow h[N], g[N];
static v4 va[100], vb[100];

NOINLINE void axpy(int n, float s)
{
	for (int i = 0; i < n; i++)
		a[i] = a[i] + s * b[i];
}

NOINLINE double dot(int n)
{
	double s = 0;

	for (int i = 0; i < n; i++)
		s += x[i] * y[i];
	return s;
}

NOINLINE void two(int n)
{
	for (int i = 0; i < n; i++)
		z[i] = x[i] * y[i] + z[i] * 1e-3 * x[i] - y[i];
}

NOINLINE void complexes(int n)
{
	for (int i = 0; i < n; i++)
		q[i] = q[i] * w[i] + q[i] / (w[i] + 1);
}

NOINLINE void wide(int n)
{
	for (int i = 0; i < n; i++)
		ld[i] = ld[i] * (long double)x[i] - sqrtl(ld[i]);
}

NOINLINE void half(int n)
{
	for (int i = 0; i < n; i++)
		h[i] = h[i] * g[i] + g[i];
}

NOINLINE void vectors(int n)
{
	for (int i = 0; i < n; i++)
		va[i] = va[i] * vb[i] * vb[i] + va[i];
}

NOINLINE void conditional(int n, float t)
{
	for (int i = 0; i < n; i++) {
		if (a[i] < t)
			b[i] = b[i] * 0.5f;
		else if (c[i] > t)
			c[i] = c[i] * b[i];
	}
}

NOINLINE void convert(int n)
{
	for (int i = 0; i < n; i++) {
		c[i] = (float)(x[i] * 1e-3);
		y[i] = (double)a[i] * 2.0;
	}
}

NOINLINE int count(int n)
{
	int k = 0;

	for (int i = 0; i < n; i++)
		k += (int)(y[i] * 3) + (a[i] > b[i]);
	return k;
}

NOINLINE void library(int n)
{
	for (int i = 0; i < n; i++)
		c[i] = expf(a[i] - 90) + sinf(b[i]) * fabsf(a[i]);
}

/* Through a pointer that is the same in all turns. */
NOINLINE void decay(volatile float *p, int n)
{
	for (int i = 0; i < n; i++)
		*p = *p * 0.9f + a[i];
}

static unsigned hash(const void *p, size_t n)
{
	unsigned sum = 1;

	for (size_t i = 0; i < n; i++)
		sum = sum * 31 + ((const unsigned char *)p)[i];
	return sum;
}

static void fill(void)
{
	for (int i = 0; i < N; i++) {
		a[i] = (float)i * 1e-41f + (float)(i % 7) * 1e-30f;
		b[i] = ldexpf(1.3f, -(i % 140));
		c[i] = 1e-39f * (float)i;
		x[i] = ldexp(1.1, -1030 + i % 60);
		y[i] = ldexp(1.7, -(i % 1050));
		z[i] = 1e-310 * i;
		q[i] = x[i] + y[i] * I;
		w[i] = z[i] - x[i] * I;
		ld[i] = ldexpl(1.5L, -16400 + i % 100);
		h[i] = (narrow)(i * 1e-6);
		g[i] = (narrow)(ldexp(1, -(i % 20)));
	}
	for (int i = 0; i < 100; i++) {
		va[i] = (v4){(float)i * 1e-40f, 1e-20f, 3, ldexpf(1, -i - 60)};
		vb[i] = (v4){.5f, 1e-20f, 1e-38f, .25f};
	}
}

int main(void)
{
	double d = 0;

	fill();
	feclearexcept(FE_ALL_EXCEPT);
	for (int r = 0; r < 20; r++) {
		axpy(N, .3f);
		d += dot(N);
		two(N);
		complexes(N);
		wide(N);
		half(N);
		vectors(100);
		conditional(N, 1e-39f);
		convert(N);
		d += count(N);
		library(N);
		decay(&c[5], N);
	}
	printf("%a %x %x %x %x %x %x %x\n", d, hash(a, sizeof(a)), hash(b, sizeof(b)), hash(c, sizeof(c)),
	       hash(x, sizeof(x)), hash(y, sizeof(y)), hash(z, sizeof(z)), hash(q, sizeof(q)));
	printf("%x %x %x %d\n", hash(h, sizeof(h)), hash(va, sizeof(va)), hash(&ld[3], 10),
	       fetestexcept(FE_ALL_EXCEPT));
	return 0;
}
