/* SPDX-License-Identifier: MIT */
/*
 * Each operation runs with four pairs of operands: normal ones with a normal result, and
 * those where an operand is denormal, the result, or both.  The variants take turns in
 * short rounds, the fastest of each counts, and the difference to the first is what denormals
 * take.  Beside other work: operations that do not wait for one another.  In a chain: the next
 * operand is made of the last result by AND and OR, which take the same for all.
 */
#include "platform/denormal/denormal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "platform/base/clock.h"

#define TURNS    2000
#define ROUNDS   60
#define QUICK    20
#define LEAST_PS 40 /* below it a difference is that of two measurements, not of two values */

enum variant { NORMAL, OPERAND, RESULT, BOTH, VARIANTS };

#if defined(__x86_64__)
#define REGISTER "x"
#elif defined(__aarch64__)
#define REGISTER "w"
#endif

#ifdef REGISTER

/* Operands of one variant; a NAN: the operation cannot meet denormals so. */
struct operands {
	double a, b, c;
};

typedef void loop(double a, double b, double c);

/* The value is one that the compiler knows nothing of. */
#define HIDE(v) __asm__ volatile("" : "+" REGISTER(v))
/* ... and one that somebody needs. */
#define USE(v) __asm__ volatile("" : : REGISTER(v))

#define LOOP_ALONE(name, target, type, expression)                                                           \
	target static void name##_alone(double a_, double b_, double c_)                                     \
	{                                                                                                    \
		type a = (type)a_, b = (type)b_, c = (type)c_;                                               \
                                                                                                             \
		for (int i = 0; i < TURNS; i++) {                                                            \
			HIDE(a);                                                                             \
			HIDE(b);                                                                             \
			HIDE(c);                                                                             \
			__typeof__(expression) r = expression;                                               \
			USE(r);                                                                              \
		}                                                                                            \
	}

/* `a` depends on the last result, but is the same. */
#define LOOP_CHAIN(name, target, type, bits, expression)                                                     \
	target static void name##_chain(double a_, double b_, double c_)                                     \
	{                                                                                                    \
		type a = (type)a_, b = (type)b_, c = (type)c_;                                               \
		bits zero = 0, keep;                                                                         \
                                                                                                             \
		memcpy(&keep, &a, sizeof(keep));                                                             \
		__asm__ volatile("" : "+r"(zero));                                                           \
		for (int i = 0; i < TURNS; i++) {                                                            \
			bits got = 0;                                                                        \
                                                                                                             \
			HIDE(b);                                                                             \
			HIDE(c);                                                                             \
			__typeof__(expression) r = expression;                                               \
			memcpy(&got, &r, sizeof(got) < sizeof(r) ? sizeof(got) : sizeof(r));                 \
			got = (got & zero) | keep;                                                           \
			memcpy(&a, &got, sizeof(a));                                                         \
		}                                                                                            \
		USE(a);                                                                                      \
	}

#define OPERATION_ON(name, target, type, bits, expression)                                                   \
	LOOP_ALONE(name##_##type, target, type, expression)                                                  \
	LOOP_CHAIN(name##_##type, target, type, bits, expression)
#define OPERATION(name, target, of_float, of_double)                                                         \
	OPERATION_ON(name, target, float, uint32_t, of_float)                                                \
	OPERATION_ON(name, target, double, uint64_t, of_double)

#if defined(__x86_64__)
#define FMA_TARGET  __attribute__((target("fma")))
#define HAS_FMA     __builtin_cpu_supports("fma")
#define SQRT_FLOAT  "sqrtss %1, %0"
#define SQRT_DOUBLE "sqrtsd %1, %0"
#else
#define FMA_TARGET
#define HAS_FMA     true
#define SQRT_FLOAT  "fsqrt %s0, %s1"
#define SQRT_DOUBLE "fsqrt %d0, %d1"
#endif

/* The instruction alone, without the branch of sqrt() to its errno. */
static inline float root_float(float x)
{
	__asm__ volatile(SQRT_FLOAT : "=" REGISTER(x) : REGISTER(x));
	return x;
}

static inline double root_double(double x)
{
	__asm__ volatile(SQRT_DOUBLE : "=" REGISTER(x) : REGISTER(x));
	return x;
}

static volatile float cell_float;
static volatile double cell_double;

static inline float stored_float(float x)
{
	return cell_float = x;
}

static inline double stored_double(double x)
{
	return cell_double = x;
}

/* What was put there as the operand. */
static inline float loaded_float(float x)
{
	cell_float = x;
	return cell_float;
}

static inline double loaded_double(double x)
{
	cell_double = x;
	return cell_double;
}

OPERATION(add, , a + b, a + b)
OPERATION(mul, , a *b, a *b)
OPERATION(div, , a / b, a / b)
OPERATION(sqrt, , root_float(a), root_double(a))
OPERATION(fma, FMA_TARGET, __builtin_fmaf(a, b, c), __builtin_fma(a, b, c))
OPERATION(convert, , (double)a, (float)a)
OPERATION(load, , loaded_float(a), loaded_double(a))
OPERATION(store, , stored_float(a), stored_double(a))

#define LOOPS(name)                                                                                          \
	{                                                                                                    \
		{name##_float_alone, name##_float_chain},                                                    \
		{                                                                                            \
			name##_double_alone, name##_double_chain                                             \
		}                                                                                            \
	}

static loop *const loops[PLATFORM_FP_N][PLATFORM_FP_TYPES][2] = {
	[PLATFORM_FP_ADD] = LOOPS(add),   [PLATFORM_FP_MUL] = LOOPS(mul),
	[PLATFORM_FP_DIV] = LOOPS(div),   [PLATFORM_FP_SQRT] = LOOPS(sqrt),
	[PLATFORM_FP_FMA] = LOOPS(fma),   [PLATFORM_FP_CONVERT] = LOOPS(convert),
	[PLATFORM_FP_LOAD] = LOOPS(load), [PLATFORM_FP_STORE] = LOOPS(store),
};

#define NOT_SO                                                                                               \
	{                                                                                                    \
		NAN, 0, 0                                                                                    \
	}

/* With these each of the four is met. */
static struct operands operands_of(enum platform_fp operation, enum platform_fp_type type, enum variant v)
{
	const double m = type == PLATFORM_FP_FLOAT ? FLT_MIN : DBL_MIN;
	const struct operands add[] = {
		{1.7, 1.3, 0}, {1.7, .37 * m, 0}, {1.7 * m, -1.3 * m, 0}, {.3 * m, .2 * m, 0}};
	const struct operands mul[] = {{1.7, 1.3, 0}, {.37 * m, 1.3e9, 0}, {1.7 * m, .3, 0}, {.7 * m, .9, 0}};
	const struct operands div[] = {
		{1.7, 1.3, 0}, {.37 * m, 1.3e-9, 0}, {1.7 * m, 3.3, 0}, {.7 * m, 1.3, 0}};
	const struct operands root[] = {{1.7, 0, 0}, {.37 * m, 0, 0}, NOT_SO, NOT_SO};
	const struct operands fma[] = {
		{1.7, 1.3, 1.1}, {.37 * m, 1.3, 1.1}, {1.7 * m, .3, 0}, {.7 * m, .9, 0}};
	const struct operands widen[] = {{1.7, 0, 0}, {.37 * m, 0, 0}, NOT_SO, NOT_SO};
	const struct operands narrow[] = {{1.7, 0, 0}, {.37 * m, 0, 0}, {.37 * FLT_MIN, 0, 0}, NOT_SO};
	const struct operands move[] = {{1.7, 0, 0}, NOT_SO, NOT_SO, {.37 * m, 0, 0}};

	switch (operation) {
	case PLATFORM_FP_ADD:
		return add[v];
	case PLATFORM_FP_MUL:
		return mul[v];
	case PLATFORM_FP_DIV:
		return div[v];
	case PLATFORM_FP_SQRT:
		return root[v];
	case PLATFORM_FP_FMA:
		return fma[v];
	case PLATFORM_FP_CONVERT:
		return type == PLATFORM_FP_FLOAT ? widen[v] : narrow[v];
	default:
		return move[v];
	}
}

static uint64_t run_ns(loop *l, const struct operands *x)
{
	uint64_t before = clock_wall_ns();

	l(x->a, x->b, x->c);
	return clock_wall_ns() - before;
}

/* What each variant takes longer than the first, ps an operation. */
static void measure(loop *l, enum platform_fp operation, enum platform_fp_type type, int rounds,
		    uint64_t extra_ps[VARIANTS])
{
	uint64_t best[VARIANTS];

	memset(best, 0xff, sizeof(best));
	for (int round = 0; round < rounds; round++)
		for (int v = 0; v < VARIANTS; v++) {
			struct operands x = operands_of(operation, type, (enum variant)v);
			uint64_t ns = isnan(x.a) ? UINT64_MAX : run_ns(l, &x);

			best[v] = ns < best[v] ? ns : best[v];
		}
	for (int v = 0; v < VARIANTS; v++) {
		bool more = best[v] != UINT64_MAX && best[v] > best[NORMAL];

		extra_ps[v] = more ? (best[v] - best[NORMAL]) * 1000 / TURNS : 0;
		if (extra_ps[v] < LEAST_PS)
			extra_ps[v] = 0;
	}
}

static bool flushed(void)
{
	volatile float least = FLT_MIN, half = .5f;

	return least * half == 0;
}

bool platform_measure_denormals(struct platform *p, bool quick)
{
	int rounds = quick ? QUICK : ROUNDS;

	if (flushed())
		return false;
	free(p->denormal);
	p->denormal = mem_new(PLATFORM_FP_N * PLATFORM_FP_TYPES, sizeof(*p->denormal));
	p->n_denormal = 0;
	for (int o = 0; o < PLATFORM_FP_N; o++)
		for (int t = 0; t < PLATFORM_FP_TYPES; t++) {
			struct platform_denormal *d = &p->denormal[p->n_denormal];
			uint64_t alone[VARIANTS], chain[VARIANTS];

			if (o == PLATFORM_FP_FMA && !HAS_FMA)
				continue;
			d->operation = (enum platform_fp)o;
			d->type = (enum platform_fp_type)t;
			measure(loops[o][t][0], d->operation, d->type, rounds, alone);
			measure(loops[o][t][1], d->operation, d->type, rounds, chain);
			d->operand_ps = alone[OPERAND];
			d->operand_chain_ps = chain[OPERAND];
			d->result_ps = alone[RESULT];
			d->result_chain_ps = chain[RESULT];
			d->both_ps = alone[BOTH];
			d->both_chain_ps = chain[BOTH];
			p->n_denormal++;
		}
	return true;
}

#else

bool platform_measure_denormals(struct platform *p, bool quick)
{
	(void)p, (void)quick;
	return false;
}

#endif
