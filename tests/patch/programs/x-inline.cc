/* SPDX-License-Identifier: MIT */
#include "two.h"

/* Inside of templates nothing has an alignment before it is instantiated. */
template <class T> class Meter {
	inline static volatile int n = 0;

public:
	static void hit() { n = n + 1; }
	static const volatile int *at() { return &n; }
};

class Stats {
	inline static volatile long rx = 0, tx = 0;

public:
	static void in() { rx = rx + 1; }
	static void out() { tx = tx + 1; }
	static void tell() { mine(0, &rx, sizeof(long)); mine(1, &tx, sizeof(long)); }
};

static void *in(void *arg)
{
	for (long i = 0; i < TURNS; i++) {
		Meter<int>::hit();
		Stats::in();
		AGAIN;
	}
	return arg;
}

static void *out(void *arg)
{
	for (long i = 0; i < TURNS; i++) {
		Meter<char>::hit();
		Stats::out();
		AGAIN;
	}
	return arg;
}

int main()
{
	mine(0, Meter<int>::at(), sizeof(int));
	mine(1, Meter<char>::at(), sizeof(int));
	Stats::tell();
	return two(in, nullptr, out, nullptr);
}
