/* SPDX-License-Identifier: MIT */
/* Arguments and results in every kind of register; calling conventions. */
#include <complex.h>
#include <stdio.h>
#include <string.h>

typedef int v4 __attribute__((vector_size(16)));
typedef double v4d __attribute__((vector_size(32)));
typedef float v16 __attribute__((vector_size(64)));
struct three { float x, y, z; };
struct odd { char c[13]; };
struct big { long v[20]; };
struct mix { double d; int i; };
struct flex { int n; union { float f; long l; } u; };
static int calls;

__attribute__((noinline)) static __int128 wide(__int128 a, long b, __int128 c) { calls++; return a * b - c; }
__attribute__((noinline)) static long double ext(long double a, int n, long double b) { calls++; return a * n + b; }
__attribute__((noinline)) static float _Complex cf(float _Complex a, double _Complex b) { calls++; return a * (float _Complex)b; }
__attribute__((noinline)) static long double _Complex cl(long double _Complex a) { calls++; return a * a; }
__attribute__((noinline)) static v4 vec(v4 a, v4 b) { calls++; return a * b + 1; }
__attribute__((noinline)) static struct three t3(struct three a, float k) { calls++; a.x *= k; a.y += a.z; return a; }
__attribute__((noinline)) static struct odd o13(struct odd o, int n) { calls++; o.c[n % 13] ^= 7; return o; }
__attribute__((noinline)) static struct big b20(struct big b, int n) { calls++; b.v[n % 20] += n; return b; }
__attribute__((noinline)) static struct mix m2(struct mix m) { calls++; return (struct mix){ m.d + m.i, (int)m.d }; }
__attribute__((noinline)) static struct flex fl(struct flex f) { calls++; f.u.l += f.n; return f; }
__attribute__((noinline)) static long many(int a, long b, short c, char d, unsigned e, long f, int g, long h, char i, double j, float k, long double l)
{
	calls++;
	return a + b * 2 + c * 3 + d * 4 + (long)e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + (long)j + (long)k + (long)l;
}
__attribute__((noinline)) static double nine(double a, double b, double c, double d, double e, double f, double g, double h, double i)
{
	calls++;
	return a - b + c - d + e - f + g - h + i;
}
__attribute__((noinline, ms_abi)) static long ms(long a, double b, long c, double d, long e, long f) { calls++; return a + (long)b + c * 3 + (long)d + e * 5 + f; }
__attribute__((noinline, sysv_abi)) static long sysv(long a, double b) { calls++; return ms(a, b, 1, 2.5, 3, 4) + 1; }
__attribute__((noinline, ms_abi)) static struct big msbig(struct big b, int n) { calls++; b.v[0] = sysv(n, 2.0); return b; }
#ifdef __SANITIZE_THREAD__ /* its calls in such a function change what the function must keep */
__attribute__((noinline)) static long plain(long a, long b) { return a * 3 + b; }
#else
__attribute__((noinline, no_caller_saved_registers, target("general-regs-only"))) static long plain(long a, long b) { return a * 3 + b; }
#endif
__attribute__((noinline, target("general-regs-only"))) static long general(long a, long b) { calls++; return plain(a, b) ^ plain(b, a); }
__attribute__((noinline, target("avx"))) static v4d avx(v4d a, v4d b, double k) { calls++; return a * b + k; }
__attribute__((noinline, target("avx"))) static double use_avx(double k)
{
	v4d a = { 1, 2, 3, k }, b = { k, 5, 6, 7 };

	a = avx(a, b, k);
	a = avx(b, a, nine(k, 1, 2, 3, 4, 5, 6, 7, 8));
	return a[0] + a[1] + a[2] + a[3];
}
__attribute__((noinline, target("avx512f"))) static v16 avx512(v16 a, v16 b) { calls++; return a * b + a; }
__attribute__((noinline, target("avx512f"))) static float use_avx512(float k)
{
	v16 a, b;

	for (int i = 0; i < 16; i++)
		a[i] = b[15 - i] = k + (float)i;
	a = avx512(a, avx512(b, a));
	return a[0] + a[7] + a[15];
}
/* The x87 stack and MMX state hold values over probes. */
__attribute__((noinline)) static long double stack87(long double x)
{
	long double a = x + 1, b = x * 2, c = x / 3, d = x - 4;

	return ext(a, 1, b) * a + ext(c, 2, d) * b + c * d;
}
static int indirect(int (*f)(const char *, ...), const char *s) { return f("%s %d\n", s, calls); }

int main(void)
{
	struct big b;
	struct odd o = { "hello, world" };
	__int128 w = wide((__int128)1 << 80, -3, (__int128)5 << 70);
	v4 v = vec((v4){ 1, 2, 3, 4 }, (v4){ 5, 6, 7, 8 });
	float _Complex z = cf(1.5f + 2.0f * I, 0.5 - 1.0 * I);
	long double _Complex zl = cl(2.0L + 1.0L * I);
	struct three t = t3(t3((struct three){ 1, 2, 3 }, 2), 3);
	struct mix m = m2(m2((struct mix){ 2.5, 4 }));
	struct flex f = fl(fl((struct flex){ 3, { .l = 40 } }));

	memset(&b, 0, sizeof(b));
	for (int i = 0; i < 30; i++)
		b = b20(b, i);
	b = msbig(b, 5);
	printf("%lx %lx %.5Lf %.2f %.2f %.2Lf\n", (long)(w >> 64), (long)w, ext(1.25L, 3, 0.5L), crealf(z), cimagf(z), creall(zl));
	printf("%d %d %.1f %.1f %s %ld %ld\n", v[0], v[3], t.x, t.y, o13(o, 4).c, b.v[0], b.v[9]);
	printf("%.2f %d %ld %ld %.1f\n", m.d, m.i, f.u.l, many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10.5, 11.5f, 12.5L), nine(9, 8, 7, 6, 5, 4, 3, 2, 1));
	printf("%ld %ld %.5Lf\n", general(5, 6), sysv(1, 2), stack87(1.5L));
	printf("%.1f %.1f\n", __builtin_cpu_supports("avx") ? use_avx(2.5) : 0, __builtin_cpu_supports("avx512f") ? use_avx512(0.5f) : 0);
	return indirect(printf, "calls") & 63;
}
