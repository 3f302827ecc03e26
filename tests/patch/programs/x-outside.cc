/* SPDX-License-Identifier: MIT */
#include "two.h"

struct Front;
struct Back;

namespace net {
class Stats {
	static volatile long rx, tx;

public:
	static void in() { rx = rx + 1; }
	static void out() { tx = tx + 1; }
	static void tell() { mine(0, &rx, sizeof(long)); mine(1, &tx, sizeof(long)); }
};
volatile long Stats::rx = 0;
volatile long Stats::tx = 0;
}

template <class T> struct Meter {
	static volatile long n;
	static void hit() { n = n + 1; }
};
template <class T> volatile long Meter<T>::n = 0;

static void *in(void *arg)
{
	for (long i = 0; i < TURNS; i++) {
		net::Stats::in();
		Meter<Front>::hit();
		AGAIN;
	}
	return arg;
}

static void *out(void *arg)
{
	for (long i = 0; i < TURNS; i++) {
		net::Stats::out();
		Meter<Back>::hit();
		AGAIN;
	}
	return arg;
}

int main()
{
	net::Stats::tell();
	mine(0, &Meter<Front>::n, sizeof(long));
	mine(1, &Meter<Back>::n, sizeof(long));
	return two(in, NULL, out, NULL);
}
