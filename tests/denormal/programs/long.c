/* SPDX-License-Identifier: MIT */
/*
 * Much arithmetic between two branches: long SCALE.  With -DTRUTH the program counts by itself, and prints what the
 * counters of each kind of operation must be.
 */
#include <fenv.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef T
#define T        float
#define SMALLEST FLT_MIN
#else
#define SMALLEST DBL_MIN
#endif

#define N        60
#define NOINLINE __attribute__((noinline)) static

static T re[5 * N], im[5 * N], out[N];

#ifdef TRUTH
enum { LOAD, STORE, ADD, SUB, MUL, KINDS };
static long result[KINDS], birth[KINDS], death[KINDS], operand[KINDS];

/* A value, and whether anything that it was computed of was denormal. */
struct num {
	T v;
	int small;
};

static int small(T v)
{
	v = v < 0 ? -v : v;
	return v > 0 && v < SMALLEST;
}

static struct num load(const T *p)
{
	result[LOAD] += small(*p);
	return (struct num){*p, 0};
}

static void store(T *p, struct num a)
{
	*p = a.v;
	result[STORE] += small(a.v);
}

static struct num computed(int kind, struct num a, struct num b, T v)
{
	int of = small(a.v) || small(b.v);
	struct num r = {v, of || a.small || b.small};

	result[kind] += small(v);
	birth[kind] += small(v) && !r.small;
	death[kind] += of && !small(v);
	operand[kind] += small(a.v) + small(b.v);
	return r;
}

static struct num add(struct num a, struct num b)
{
	return computed(ADD, a, b, a.v + b.v);
}

static struct num sub(struct num a, struct num b)
{
	return computed(SUB, a, b, a.v - b.v);
}

static struct num mul(struct num a, double by)
{
	return computed(MUL, a, (struct num){(T)by, 0}, a.v * (T)by);
}
#else
typedef T num_of;
#define num num_of
#define struct
#define load(p)     (*(p))
#define store(p, a) (*(p) = (a))
#define add(a, b)   ((a) + (b))
#define sub(a, b)   ((a) - (b))
#define mul(a, by)  ((a) * (T)(by))
#endif

/* One turn has some 90 operations, in place. */
NOINLINE void butterflies(T *x, T *y, int n)
{
	for (int i = 0; i < n; i++, x += 5, y += 5) {
		struct num a0 = load(x), a1 = load(x + 1), a2 = load(x + 2), a3 = load(x + 3),
			   a4 = load(x + 4);
		struct num b0 = load(y), b1 = load(y + 1), b2 = load(y + 2), b3 = load(y + 3),
			   b4 = load(y + 4);
		struct num s1 = add(a1, a4), d1 = sub(a1, a4), s2 = add(a2, a3), d2 = sub(a2, a3);
		struct num t1 = add(b1, b4), e1 = sub(b1, b4), t2 = add(b2, b3), e2 = sub(b2, b3);
		struct num u1 = add(a0, add(mul(s1, 0.309), mul(s2, -0.809)));
		struct num u2 = add(a0, add(mul(s1, -0.809), mul(s2, 0.309)));
		struct num v1 = add(b0, add(mul(t1, 0.309), mul(t2, -0.809)));
		struct num v2 = add(b0, add(mul(t1, -0.809), mul(t2, 0.309)));
		struct num w1 = add(mul(e1, 0.951), mul(e2, 0.588)), w2 = sub(mul(e1, 0.588), mul(e2, 0.951));
		struct num z1 = add(mul(d1, 0.951), mul(d2, 0.588)), z2 = sub(mul(d1, 0.588), mul(d2, 0.951));

		store(x, mul(add(a0, add(s1, s2)), 0.2));
		store(y, mul(add(b0, add(t1, t2)), 0.2));
		store(x + 1, mul(add(u1, w1), 0.2));
		store(y + 1, mul(sub(v1, z1), 0.2));
		store(x + 4, mul(sub(u1, w1), 0.2));
		store(y + 4, mul(add(v1, z1), 0.2));
		store(x + 2, mul(add(u2, w2), 0.2));
		store(y + 2, mul(sub(v2, z2), 0.2));
		store(x + 3, mul(sub(u2, w2), 0.2));
		store(y + 3, mul(add(v2, z2), 0.2));
	}
}

/* An expression of 250 values. */
#define TERM(s, i)  add(s, mul(load(x + (i)), (i) % 2 ? 0.7 : 0.4))
#define TERMS(s, i) TERM(TERM(TERM(TERM(TERM(s, i), (i) + 1), (i) + 2), (i) + 3), (i) + 4)
#define ALL(s, i)   TERMS(TERMS(TERMS(TERMS(s, i), (i) + 5), (i) + 10), (i) + 15)
NOINLINE void chain(T *to, const T *x)
{
	struct num s = mul(load(x), 0.5);

	s = ALL(s, 0);
	s = ALL(s, 20);
	s = ALL(s, 40);
	s = ALL(s, 60);
	store(to, s);
}

/* No loop is round it, though it is run again and again. */
NOINLINE void flat(T *x, T *y)
{
	struct num a = load(x), b = load(y), c = load(x + 1), d = load(y + 1);

	store(x, sub(mul(a, 0.5), mul(b, 0.25)));
	store(y, add(mul(a, 0.25), mul(b, 0.5)));
	store(x + 1, add(mul(c, 0.5), mul(a, 0.25)));
	store(y + 1, sub(mul(d, 0.5), add(mul(c, 0.125), mul(b, 0.125))));
}

/* What it does is not counted. */
NOINLINE void fill(double scale)
{
	for (int i = 0; i < 5 * N; i++) {
		re[i] = (T)(scale * (1 + i * 7919 % 101) * SMALLEST);
		im[i] = (T)(scale * (1 + i * 104729 % 89) * SMALLEST);
	}
}

int main(int argc, char **argv)
{
	double scale = argc > 1 ? atof(argv[1]) : 1e9;
	unsigned hash = 1;

	fill(scale);
	for (int turn = 0; turn < 3; turn++) {
		butterflies(re, im, N);
		for (int i = 0; i < N; i++)
			chain(out + i, re + i);
		for (int i = 0; i + 1 < 5 * N; i++)
			flat(re + i, im + i);
	}
	for (size_t i = 0; i < sizeof(re); i++)
		hash = hash * 31 + ((unsigned char *)re)[i] + 17 * ((unsigned char *)im)[i] +
		       ((unsigned char *)out)[i % sizeof(out)];
	printf("%08x %d\n", hash, fetestexcept(FE_ALL_EXCEPT));
#ifdef TRUTH
	for (int i = 0; i < KINDS; i++)
		printf("%s %ld %ld %ld %ld\n", (const char *[]){"load", "store", "add", "sub", "mul"}[i],
		       result[i], birth[i], death[i], operand[i]);
#endif
	return 3;
}
