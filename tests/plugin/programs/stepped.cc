// SPDX-License-Identifier: MIT
// The same for C++: throws, cleanups, virtual calls, lambdas, a thunk.
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#define KEEP __attribute__((noinline, noclone))
static long total;
struct guard {
	long n;
	KEEP explicit guard(long i) : n(i) { total += i; }
	KEEP ~guard() { total -= n / 2; }
};
struct one { virtual KEEP long f(long x) { return x + total; } virtual ~one() {} };
struct two { virtual KEEP long g(long x) { return x * 2; } virtual ~two() {} long kept = 3; };
struct both : one, two {
	KEEP long f(long x) override { guard g(x); return one::f(x) + g.n; }
	KEEP long g(long x) override { if (x == 2) throw std::runtime_error("two"); return f(x) + kept; }
};
KEEP static long ask(two *t, long x) { guard g(x); return t->g(x) + g.n; }
KEEP static long careful(two *t, long x)
{
	try {
		return ask(t, x);
	} catch (const std::exception &e) {
		guard g(7);
		return ask(t, x + 1) + e.what()[0];
	}
}
extern "C" int stepped()
{
	auto b = std::make_unique<both>();
	std::vector<long> v;
	std::function<long(long)> f = [&](long x) { return x ? careful(b.get(), x) : 1; };
	long s = 0;

	for (long i = 0; i < 4; i++) {
		s += f(i);
		v.push_back(s);
	}
	for (long x : v)
		s ^= x;
	return (int)((s + total) & 0xffff);
}
