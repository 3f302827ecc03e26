// SPDX-License-Identifier: MIT
// Known numbers of calls in C++: throws through open calls, virtual calls, constructors, lambdas, templates.
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>
#include "made.h"

#define KEEP __attribute__((noinline, noclone))
static volatile int sink;

extern "C" KEEP int leaf(int x) { sink = x; return x + 1; }
struct base {
	int n;
	virtual ~base() {}
	virtual KEEP int get(int x) { MADE(_ZN4base3getEi, leaf); return leaf(x) + n; }
};
struct derived final : base {
	KEEP int get(int x) override { MADE(_ZN7derived3getEi, leaf); return leaf(x) * n; }
};
extern "C" KEEP int thrower(int n)
{
	if (n == 0) {
		MADE(thrower, __cxa_throw);
		throw 42;
	}
	MADE(thrower, thrower);
	n = thrower(n - 1);
	sink = n;
	return n + 1;
}
struct guard {
	int n;
	KEEP guard(int i) : n(i) { MADE(_ZN5guardC2Ei, leaf); sink += leaf(i); }
	KEEP ~guard() { MADE(_ZN5guardD2Ev, leaf); sink += leaf(n); }
};
extern "C" KEEP int guarded(int n)
{
	guard g(n);

	MADE(guarded, thrower);
	return thrower(n) + g.n;
}
extern "C" KEEP int again(int n)
{
	try {
		MADE(again, guarded);
		return guarded(n);
	} catch (int i) {
		if (n & 1) {
			MADE(again, __cxa_rethrow);
			throw;
		}
		return i;
	}
}
template <class T> KEEP int shape(T x)
{
	MADE(shape, leaf);
	return leaf((int)x);
}
extern "C" KEEP int virtuals(base *b, int i)
{
	MADE(virtuals, indirect);
	return b->get(i);
}
extern "C" KEEP int by_function(const std::function<int(int)> &f, int i) { return f(i); }

int main()
{
	base a;
	derived d;
	made_begin();
	a.n = 3;
	d.n = 4;
	for (int i = 0; i < 500; i++) {
		try {
			MADE(main, again);
			sink += again(i % 9);
		} catch (int) {
			sink++;
		}
		MADE(main, virtuals);
		sink += virtuals(i % 3 ? &a : &d, i);
		MADE(main, by_function);
		sink += by_function([](int x) { MADE(lambda, leaf); return leaf(x); }, i);
		sink += shape(i) + shape((char)i) + shape(1.5 * i);
	}
	std::vector<std::thread> all;
	for (int t = 0; t < 8; t++)
		all.emplace_back([] { for (int i = 0; i < 100; i++) { try { MADE(worker, again); sink += again(7); } catch (int) { } } });
	for (auto &t : all)
		t.join();
	made_print(stdout);
	return 0;
}
