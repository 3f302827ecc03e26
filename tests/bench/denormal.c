/* SPDX-License-Identifier: MIT */
/*
 * denormal KERNEL clean|denormal|heavy: CPU time of a numeric kernel in ns, the
 * least of some runs.  Of the input an eighth is denormal, or nine tenths, or none.
 * Without arguments: the names.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N    4096
#define SIDE 256

static float a[SIDE * SIDE], b[SIDE * SIDE], c[SIDE * SIDE];
static double x[SIDE * SIDE], y[SIDE * SIDE], z[SIDE * SIDE];
static volatile double sink;

/* What lies where the signal has died out, and where in each row that begins. */
static float rest;
static int alive = 7 * SIDE / 8;

static void jacobi(void)
{
	static int turn;
	const float *from = turn & 1 ? b : a;
	float *to = turn++ & 1 ? a : b;

	for (int i = 1; i < SIDE - 1; i++)
		for (int j = 1; j < SIDE - 1; j++)
			to[i * SIDE + j] = (from[(i - 1) * SIDE + j] + from[(i + 1) * SIDE + j] +
					    from[i * SIDE + j - 1] + from[i * SIDE + j + 1]) *
					   0.25f;
}

static void axpy(void)
{
	for (int i = 0; i < N; i++)
		b[i] = b[i] + a[i] * 0.5f;
}

static void triad(void)
{
	for (int i = 0; i < N; i++)
		x[i] = y[i] + 3.0 * z[i];
}

static void dot(void)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		sum += x[i] * y[i];
	sink = sum;
}

static void onepole(void)
{
	float state = rest;

	for (int i = 0; i < N; i++) {
		state = state * 0.999f + a[i];
		b[i] = state;
	}
}

static void fir(void)
{
	for (int i = 0; i < N; i++)
		b[i] = a[i] * 0.1f + a[i + 1] * 0.2f + a[i + 2] * 0.4f + a[i + 3] * 0.2f + a[i + 4] * 0.1f;
}

static void heat(void)
{
	for (int i = 1; i < N - 1; i++)
		y[i] = x[i] + 0.1 * (x[i - 1] - 2 * x[i] + x[i + 1]);
}

static void norm(void)
{
	for (int i = 0; i < N; i++)
		c[i] = a[i] / sqrtf(a[i] * a[i] + b[i] * b[i] + 1.0f);
}

static void narrow(void)
{
	for (int i = 0; i < N; i++)
		c[i] = (float)(x[i] * 0.5);
}

static void matmul(void)
{
	for (int i = 0; i < 96; i++)
		for (int k = 0; k < 96; k++)
			for (int j = 0; j < 96; j++)
				c[i * 96 + j] = c[i * 96 + j] + a[i * 96 + k] * b[k * 96 + j];
}

/* A comb filter with a low pass in its loop, as in reverbs; then silence. */
static void reverb(void)
{
	static float line[1116];
	float low = 0;
	int at = 0;

	for (int i = 0; i < 1116; i++)
		line[i] = rest;
	for (int i = 0; i < 200000; i++) {
		float out = line[at];

		low = out * 0.8f + low * 0.2f;
		line[at] = low * 0.84f + (i < 4800 ? a[i % N] : rest);
		b[i % N] = out;
		at = at + 1 < 1116 ? at + 1 : 0;
	}
}

/* The tails of a Gaussian. */
static void gabor(void)
{
	float width = rest >= 0.1f ? 2000 : 90;

	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			float u = (float)(i - SIDE / 2), v = (float)(j - SIDE / 2);

			c[i * SIDE + j] = expf(-(u * u + v * v) / width) * cosf(0.3f * u) * 1e-3f;
		}
}

/* A wave that runs through a medium that damps it. */
static void wave(void)
{
	for (int i = 1; i < N - 1; i++)
		z[i] = (2 * y[i] - x[i] + 0.25 * (y[i + 1] - 2 * y[i] + y[i - 1])) * 0.9;
	memcpy(x, y, N * sizeof(*x));
	memcpy(y, z, N * sizeof(*y));
}

static const struct {
	const char *name;
	void (*run)(void);
	int turns;
} kernels[] = {
	{"jacobi", jacobi, 10},   {"axpy", axpy, 100},   {"triad", triad, 100}, {"dot", dot, 50},
	{"onepole", onepole, 50}, {"fir", fir, 50},      {"heat", heat, 100},   {"norm", norm, 50},
	{"narrow", narrow, 100},  {"matmul", matmul, 1}, {"reverb", reverb, 1}, {"gabor", gabor, 1},
	{"wave", wave, 100},
};

static void fill(void)
{
	for (int i = 0; i < SIDE * SIDE; i++) {
		float f = i % SIDE < alive ? 1.0f + (float)(i % 7) : rest;

		a[i] = f;
		b[i] = f;
		c[i] = 0;
		x[i] = f >= 0.1f ? f : 1e-310;
		y[i] = z[i] = x[i];
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	size_t n = sizeof(kernels) / sizeof(*kernels), k = 0;
	double best = 1e30;

	for (size_t i = 0; argc < 3 && i < n; i++)
		printf("%s\n", kernels[i].name);
	while (argc == 3 && k < n && strcmp(kernels[k].name, argv[1]))
		k++;
	if (argc < 3 || k == n)
		return argc >= 3;
	rest = strcmp(argv[2], "clean") ? 1e-40f : 0.1f;
	if (!strcmp(argv[2], "heavy"))
		alive = SIDE / 10;
	for (int i = 0; i < 15; i++) {
		double from, took;

		fill();
		from = now();
		for (int t = 0; t < kernels[k].turns; t++)
			kernels[k].run();
		took = now() - from;
		best = took < best ? took : best;
	}
	printf("%.0f\n", best);
	return 0;
}
