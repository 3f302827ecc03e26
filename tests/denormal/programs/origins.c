/* SPDX-License-Identifier: MIT */
/*
 * origins SCALE [kill|huge]: denormals of two birthplaces (for SCALE 1e-20), which go
 * through a transpose, an exchange, a copy and memory that is used again; filters
 * whose input falls silent; integers in an array of floats.  Prints a hash.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIDE     50
#define N        (SIDE * SIDE)
#define NOINLINE __attribute__((noinline)) static

static float p[N], a[N], b[N], c[N], d[N], t[N], u[N], w[N], given[N], small[N], copied[N];
static float scale;

struct filter {
	float z, z2;
};

NOINLINE void one(float *to, const float *from)
{
	for (int i = 0; i < N; i++)
		to[i] = from[i] * scale; /* ONE */
}

NOINLINE void two(float *to, const float *from)
{
	for (int i = 0; i < N; i++)
		to[i] = from[i] * scale * 0.5f; /* TWO */
}

NOINLINE void transpose(float *to, const float *from)
{
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			to[j * SIDE + i] = from[i * SIDE + j];
}

NOINLINE void exchange(float *x, float *y)
{
	for (int i = 0; i < N; i++) {
		float old = x[i];

		x[i] = y[i];
		y[i] = old;
	}
}

NOINLINE void half(float *to, const float *from)
{
	for (int i = 0; i < N; i++)
		to[i] = from[i] * 0.5f;
}

NOINLINE float handed(float x)
{
	return x * 0.5f;
}

NOINLINE void call(float *to, const float *from)
{
	for (int i = 0; i < N; i++)
		to[i] = handed(from[i]);
}

/* A one-pole filter whose state is in a register. */
NOINLINE float onepole(float *to, int n, float offset)
{
	float state = 0;

	for (int i = 0; i < n; i++) {
		state = state * 0.999f + ((i < 4800 ? 0.5f : 0.0f) + offset);
		to[i % N] = state;
	}
	return state;
}

/* ... and one whose states are in memory. */
NOINLINE void twopole(struct filter *f, int n, float offset)
{
	for (int i = 0; i < n; i++) {
		f->z = f->z * 0.99f + (i < 480 ? 0.5f : offset);
		f->z2 = f->z2 * 0.98f + f->z;
	}
}

/* Memory with origins is given back; what comes to lie there is brought by others. */
NOINLINE void again(float *to)
{
	float *old = malloc(N * sizeof(float)), *fresh;
	int ends[2];

	one(old, p);
	if (pipe(ends) || write(ends[1], given, sizeof(given)) != sizeof(given))
		exit(1);
	free(old);
	fresh = malloc(N * sizeof(float));
	if (read(ends[0], fresh, sizeof(given)) != sizeof(given))
		exit(1);
	half(to, fresh);
	free(fresh);
}

NOINLINE void integers(int32_t *to)
{
	for (int i = 0; i < N; i++)
		to[i] = scale < 1e-10f ? i % 100 + 1 : 0;
}

NOINLINE void same(float *to, const float *from)
{
	for (int i = 0; i < N; i++)
		to[i] = from[i];
}

/* An array of 10^9 elements, of which a thousand are denormal, mapped and given back; prints how much memory that took. */
NOINLINE void huge(void)
{
	size_t n = 1000000000, step = n / 1000;
	float *big = malloc(n * sizeof(*big)), sum = 0;
	char line[128];
	FILE *status;
	long most = 0;

	if (!big)
		exit(1);
	for (size_t i = 0; i < n; i += step)
		big[i] = p[i % N] * scale;
	for (size_t i = 0; i < n; i += step)
		sum += big[i];
	free(big);
	status = fopen("/proc/self/status", "r");
	while (status && fgets(line, sizeof(line), status))
		if (!strncmp(line, "VmHWM:", 6))
			most = atol(line + 6);
	printf("%a, %s\n", (double)sum, most > 100000 ? "too much memory" : "little memory");
}

static unsigned hash(const void *at, size_t n)
{
	unsigned sum = 1;

	for (size_t i = 0; i < n; i++)
		sum = sum * 31 + ((const unsigned char *)at)[i];
	return sum;
}

int main(int argc, char **argv)
{
	float tiny = (scale = (float)atof(argv[1])) < 1e-10f ? 0 : 1e-20f;
	struct filter f = {0, 0};
	float z;

	for (int i = 0; i < N; i++) {
		uint32_t bits = tiny > 0 ? 0 : 0x200000u + (uint32_t)i;

		p[i] = 1e-20f * (1 + (float)(i % 7) * 0.01f);
		memcpy(&given[i], &bits, 4);
	}
	if (argc > 2 && !strcmp(argv[2], "huge")) {
		huge();
		return 0;
	}
	one(a, p);
	two(b, p);
	transpose(t, a);
	exchange(a, b);
	half(c, a);
	half(d, b);
	memcpy(u, d, sizeof(u));
	half(w, u);
	call(u, u);
	again(a);
	integers((int32_t *)small);
	same(copied, small);
	if (argc > 2)
		raise(SIGKILL);
	z = onepole(b, 480000, tiny);
	twopole(&f, 20000, tiny);
	printf("%x %x %x %x %x %x %x %a %a %a\n", hash(a, sizeof(a)), hash(b, sizeof(b)), hash(c, sizeof(c)),
	       hash(d, sizeof(d)), hash(t, sizeof(t)), hash(u, sizeof(u)), hash(w, sizeof(w)), (double)z,
	       (double)f.z, (double)f.z2);
	printf("%x\n", hash(copied, sizeof(copied)));
	return 0;
}
