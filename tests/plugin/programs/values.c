/* SPDX-License-Identifier: MIT */
/* Every way to pass and return values; varargs; alloca; wide types. */
#include <alloca.h>
#include <complex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct small { int a, b; };
struct mixed { double d; long n; };
struct large { long v[9]; };
union either { float f; unsigned u; };
struct bits { unsigned a : 3, b : 9, c : 20; };

__attribute__((noinline)) static struct small swap(struct small s)
{
	return (struct small){ s.b, s.a };
}
__attribute__((noinline)) static struct mixed mix(struct mixed m, double k)
{
	return (struct mixed){ m.d * k, m.n + (long)k };
}
__attribute__((noinline)) static struct large fill(struct large l, int n)
{
	for (int i = 0; i < 9; i++)
		l.v[i] += n * i;
	return l;
}
__attribute__((noinline)) static long sum(int n, ...)
{
	va_list ap;
	long s = 0;

	va_start(ap, n);
	for (int i = 0; i < n; i++)
		s += i & 1 ? (long)va_arg(ap, double) : va_arg(ap, int);
	va_end(ap);
	return s;
}
__attribute__((noinline)) static unsigned copy(const char *s, size_t n)
{
	char *p = alloca(n + 1);
	unsigned h = 0;

	memcpy(p, s, n + 1);
	while (*p)
		h = h * 31 + (unsigned char)*p++;
	return h;
}
__attribute__((noinline)) static unsigned __int128 wide(unsigned __int128 a, unsigned long b)
{
	return a * b + (a >> 7);
}
__attribute__((noinline)) static long double quad(long double x, float f)
{
	return x * f - 1.5L;
}
__attribute__((noinline)) static double _Complex turn(double _Complex z)
{
	return z * z + 1.0;
}
static struct bits field;
static _Thread_local long local;
static volatile int port;
static const int table[] = { 3, 1, 4, 1, 5, 9, 2, 6 };

int main(void)
{
	struct large l = { { 1, 2, 3, 4, 5, 6, 7, 8, 9 } };
	struct small s = swap((struct small){ 4, 5 });
	struct mixed m = mix((struct mixed){ 1.25, 7 }, 3.5);
	union either e = { .f = 1.0f };
	unsigned __int128 w = wide((unsigned __int128)1 << 90 | 12345, 77);
	double _Complex z = turn(2.0 + 3.0 * I);

	l = fill(fill(l, 2), 3);
	for (int i = 0; i < 100; i++) {
		field.a++;
		field.b += field.a;
		field.c ^= field.b << 3;
		local += table[i & 7];
		port = port + 1;
	}
	printf("%d %d %.3f %ld %ld %ld\n", s.a, s.b, m.d, m.n, l.v[0], l.v[8]);
	printf("%ld %u %x\n", sum(5, 1, 2.5, 3, 4.5, 5), copy("red zone and stack", 18), e.u);
	printf("%lx%016lx %.4Lf %.1f %.1f\n", (long)(w >> 64), (long)w, quad(2.25L, 3.0f), creal(z), cimag(z));
	printf("%u %u %u %ld %d\n", field.a, field.b, field.c, local, port);
	return 0;
}
