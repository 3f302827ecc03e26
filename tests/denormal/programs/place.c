/* SPDX-License-Identifier: MIT */
/*
 * Loops that store where they load: place [clean].  Built with -DORIGINS it follows some births; with -DCALM it says whether any version that counts was run
 * beside one that only notices.
 */
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define N        1500
#define NOINLINE __attribute__((noipa)) static

static float a[N], b[N], pairs[N], sums[N], shared[N];
static double x[N], y[N], rows[N];

#ifdef CALM
static int counted;
void prs_den_calm(void);
void prs_den_calm(void)
{
	counted++;
}

void prs_den_clear(void);
void prs_den_clear(void)
{
	counted++;
}
#endif

NOINLINE void scales(float *to, float by, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = to[i] * by;
}

/* Loads what a later turn stores over. */
NOINLINE void shifts(double *to, int n)
{
	for (int i = 0; i < n - 3; i++)
		to[i] = to[i + 3] * 0.5 + to[i] * 0.25;
}

/* ... and what an earlier one did. */
NOINLINE void runs(float *to, int n)
{
	for (int i = 4; i < n; i++)
		to[i] = to[i] * 0.5f + to[i - 4] * 0.25f;
}

NOINLINE void backwards(double *to, const double *from, int n)
{
	for (int i = n - 1; i >= 0; i--)
		to[i] = to[i] * 0.75 + from[i] * 0.5;
}

/* All bytes of a step, in two parts. */
NOINLINE void rotates(float *to, int n)
{
	for (int i = 0; i < n / 2; i++) {
		float re = to[2 * i], im = to[2 * i + 1];

		to[2 * i] = re * 0.8f + im * 0.6f;
		to[2 * i + 1] = re * 0.3f + im * 0.4f;
	}
}

NOINLINE void exchanges(float *p, float *q, int n)
{
	for (int i = 0; i < n; i++) {
		float old = p[i];

		p[i] = q[i] * 0.5f;
		q[i] = old;
	}
}

/* Half of the bytes, and part of the turns: such loops have no second version. */
NOINLINE void halves(float *to, int n)
{
	for (int i = 0; i < n; i += 2)
		to[i] = to[i] * 0.5f;
	for (int i = 0; i < n; i++)
		if (to[i] > 1e-30f)
			to[i] = to[i] * 0.25f;
}

/* Short rows, again and again. */
NOINLINE void adds(double *to, const double *from, const double *by)
{
	for (int r = 0; r < N / 100; r++)
		for (int k = 0; k < 4; k++)
			for (int i = 0; i < 100; i++)
				to[r * 100 + i] = to[r * 100 + i] * 0.5 + from[r] * by[4 * i + k];
}

/* Births alone, which nothing notes. */
NOINLINE void bears(float *to, float by, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = to[i] * by;
}

#ifdef ORIGINS
/* All that is denormal is born in the first loop, and goes on in place. */
NOINLINE void origins(void)
{
	for (int i = 0; i < N; i++)
		a[i] = b[i] * (i % 170 < 20 ? 1e-38f : 0.5f);
	for (int k = 0; k < 5; k++) {
		scales(a, 0.5f, N);
		runs(a, N);
		for (int i = 0; i < N - 2; i++)
			a[i] = a[i + 2] * 0.75f;
		scales(a, 2, N);
		for (int i = N - 1; i >= 0; i--)
			a[i] = a[i] * 0.25f;
		/* Stored without counters: no denormals are in it. */
		scales(b, 0.5f, N);
	}
}
#endif

/* The other half of the array is another thread's. */
static void *half(void *at)
{
	for (int i = 0; i < 2000; i++)
		scales((float *)at, i % 2 ? 0.5f : 2, N / 2 - 1);
	return NULL;
}

static unsigned hash(const void *p, size_t n)
{
	unsigned h = 1;

	for (size_t i = 0; i < n; i++)
		h = h * 31 + ((const unsigned char *)p)[i];
	return h;
}

static void fill(int round, float low)
{
	for (int i = 0; i < N; i++) {
		a[i] = (i + round) % 400 > 30 ? 1.5f : low;
		b[i] = i % 150 ? 0x1p-10f : low;
		pairs[i] = (i / 100 + round) % 5 ? 1 + (float)(i % 3) : low;
		sums[i] = a[i] + b[i];
		shared[i] = i % 90 ? 1.25f : low;
		x[i] = low > 2e-38f || (i + 7 * round) % 300 > 40 ? 1.25 : 1e-310;
		y[i] = low > 2e-38f || i % 70 ? 0.5 : 1e-312;
		rows[i] = x[i];
	}
}

int main(int argc, char **argv)
{
	int clean = argc > 1 && !strcmp(argv[1], "clean");
	pthread_t thread;
	unsigned h = 0;

	feclearexcept(FE_ALL_EXCEPT);
#ifdef ORIGINS
	for (int i = 0; i < N; i++)
		b[i] = 1 + (float)(i % 7) * 0.125f;
	origins();
	printf("%x %x\n", hash(a, sizeof(a)), hash(b, sizeof(b)));
	return 0;
#endif
	for (int round = 0; round < 20; round++) {
		fill(round, clean ? 1 : round % 4 ? 1e-40f : 0x1p-100f);
		scales(a, 0.75f, N - round);
		shifts(x, N);
		runs(sums, N);
		backwards(y, x, N - 2 * round);
		rotates(pairs, N);
		exchanges(a, sums, 64 * round + 1);
		halves(pairs, N);
		adds(rows, y, x);
		bears(b, clean || round % 3 ? 0x1p-10f : 0x1p-120f, N);
		h = h * 31 + hash(a, sizeof(a)) + hash(b, sizeof(b)) * 3 + hash(pairs, sizeof(pairs)) * 5 +
		    hash(sums, sizeof(sums)) * 7 + hash(x, sizeof(x)) * 11 + hash(y, sizeof(y)) * 13 +
		    hash(rows, sizeof(rows)) * 17;
	}
	pthread_create(&thread, NULL, half, shared + N / 2 - 1);
	half(shared);
	pthread_join(thread, NULL);
	printf("%x %x %d\n", h, hash(shared, sizeof(shared)), fetestexcept(FE_ALL_EXCEPT));
#ifdef CALM
	printf("%s\n", counted ? "some loops counted" : "no loop counted");
#endif
	return 0;
}
