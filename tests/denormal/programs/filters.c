/* SPDX-License-Identifier: MIT */
/*
 * filters SCALE: denormals (for SCALE 1e-20) that go round in loops, by way of memory that GCC keeps in registers,
 * stores that it moves, values that leave loops, and calls.  With -DTRUTH, as C++, each number carries the line where
 * it was born, and it prints how many stores of denormals go back to which; else a hash.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline)) static
#define BROUGHT  (-1)
#define INTEGERS (-2)
#define HANDED   (-3)

#ifdef TRUTH
#include <map>
static int line;
static std::map<int, long> stores;
static bool denormal(float f)
{
	uint32_t b;

	memcpy(&b, &f, 4);
	return (b << 1) - 1 < 0xffffff;
}
struct num {
	float v;
	int born;

	num() = default;
	num(float f) : v(f), born(denormal(f) ? line : 0)
	{
	}
	num(float f, const num &a, const num &b) : v(f), born(0)
	{
		if (denormal(f))
			born = denormal(a.v) ? a.born : denormal(b.v) ? b.born : line;
	}
};
static num operator+(num a, num b)
{
	return num(a.v + b.v, a, b);
}
static num operator-(num a, num b)
{
	return num(a.v - b.v, a, b);
}
static num operator*(num a, num b)
{
	return num(a.v * b.v, a, b);
}
static num put(num x)
{
	if (denormal(x.v))
		stores[x.born]++;
	return x;
}
#define AT            line = __LINE__;
#define BITS(x)       (x).v
#define FROM(x, what) (x).born = (what)
#else
typedef float num;
#define put(x) (x)
#define AT
#define BITS(x) (x)
#define FROM(x, what)
#endif

#define N 37
#define M 64

static num delay[N], out[M], envelope, pole[3], state[M], sums[M], a[M], b[M], picked[M], constant[M],
	given[M], kept[M], small[M], copied[M], handed[M];
static int at, which[M];
static float scale;

/* The store into the delay line comes behind the test of its end. */
NOINLINE void allpass(int n)
{
	for (int t = 0; t < n; t++) {
		num x = t == 0 ? 1.0f : 0.0f, d = delay[at], y;

		AT y = d - 0.5f * x;
		AT delay[at] = put(x + 0.5f * y);
		if (++at == N)
			at = 0;
		out[t % M] = put(y);
	}
}

/* A variable that is in a register while the loop runs, and in memory between the calls. */
NOINLINE void follow(int n, float x)
{
	for (int t = 0; t < n; t++) {
		AT envelope = put(envelope * 0.97f + x);
		if (BITS(envelope) < 1e-30f)
			out[t] = put(envelope);
	}
}

/* Two pole filters whose state is behind a pointer. */
NOINLINE void poles(num *z, int n, float x)
{
	for (int t = 0; t < n; t++) {
		AT z[0] = put(z[0] * 0.9f + x);
		AT z[1] = put(z[1] * 0.8f + x);
		AT state[t] = put(z[1] * 0.5f);
		x = 0;
	}
}

/* A sum that leaves its loop. */
NOINLINE void dot(int n, float x)
{
	for (int i = 0; i < n; i++) {
		num s = 0.0f;

		for (int k = 0; k < 4; k++) {
			AT s = s + (num)x * (x * 1e-1f);
		}
		sums[i] = put(s);
	}
}

NOINLINE void first(int n, float x)
{
	for (int i = 0; i < n; i++) {
		AT a[i] = put((num)x * x);
	}
}

NOINLINE void second(int n, float x)
{
	for (int i = 0; i < n; i++) {
		AT b[i] = put((num)x * x);
	}
}

/* One of two, in a register. */
NOINLINE void pick(int n)
{
	num last = 0.0f;

	for (int i = 0; i < n; i++) {
		num x = which[i] ? a[i] : b[i];

		last = which[i] > 2 ? last : x;
		picked[i] = put(last);
	}
}

NOINLINE void constants(int n)
{
	if (scale > 1e-10f)
		return;
	for (int i = 0; i < n; i++) {
		AT constant[i] = put((num)1e-39f);
	}
}

/* What was brought stays that, however small it becomes; a small integer is one as it comes. */
NOINLINE void decay(int n)
{
	for (int k = 0; k < 20; k++)
		for (int i = 0; i < n; i++)
			given[i] = put(given[i] * 0.5f);
	for (int i = 0; i < n; i++)
		kept[i] = put(given[i]);
	for (int i = 0; i < n; i++)
		copied[i] = put(small[i]);
}

/* A parameter is not followed. */
NOINLINE void hand(num x, int n)
{
	for (int i = 0; i < n; i++)
		handed[i] = put(x * 0.5f);
}

static uint64_t hash(const num *x, int n)
{
	uint64_t h = 14695981039346656037ull;

	for (int i = 0; i < n; i++) {
		uint32_t bits;

		memcpy(&bits, &x[i], 4);
		h = (h ^ bits) * 1099511628211ull;
	}
	return h;
}

int main(int argc, char **argv)
{
	scale = argc > 1 ? strtof(argv[1], NULL) : 1e-20f;
	float x = scale < 1e-10f ? 1.0f : 1e30f;
	num zero = 0.0f;

	allpass(scale < 1e-10f ? 20000 : 40);
	for (int i = 0; i < 200; i++)
		follow(scale < 1e-10f ? M : 1, i ? 0.0f : x);
	for (int i = 0; i < 100; i++)
		poles(pole, scale < 1e-10f ? M : 1, i ? 0.0f : x);
	first(M, scale);
	second(M, scale);
	dot(M, scale);
	for (int i = 0; i < M; i++)
		which[i] = i * 7 % 5;
	pick(M);
	constants(M);
	for (int i = 0; i < M; i++) {
		uint32_t bits = scale < 1e-10f ? 0x400000u + (uint32_t)i : 0x7f000000u,
			 few = bits > 0x7f0000u ? bits : 40u;

		memcpy(&given[i], &bits, 4);
		memcpy(&small[i], &few, 4);
		FROM(given[i], BROUGHT);
		FROM(small[i], INTEGERS);
	}
	decay(M);
	memcpy(&zero, &given[0], sizeof(zero));
	FROM(zero, HANDED);
	hand(zero, M);
#ifdef TRUTH
	printf("born");
	for (const auto &s : stores)
		if (s.first > 0)
			printf(" %d:%ld", s.first, s.second);
	printf("\nunknown %ld %ld %ld 0\n", stores[BROUGHT], stores[INTEGERS], stores[HANDED]);
	(void)hash;
#else
	printf("%016llx\n",
	       (unsigned long long)(hash(delay, N) ^ hash(out, M) ^ hash(&envelope, 1) ^ hash(pole, 3) ^
				    hash(state, M) ^ hash(sums, M) ^ hash(picked, M) ^ hash(constant, M) ^
				    hash(kept, M) ^ hash(copied, M) ^ hash(handed, M)));
#endif
	return 0;
}
