/* SPDX-License-Identifier: MIT */
#include "two.h"

#include <utility>

alignas(32) static std::pair<long, long> moved;

static void *in(void *arg)
{
	for (long i = 0; i < TURNS; i++) {
		moved.first += i;
		AGAIN;
	}
	return arg;
}

static void *out(void *arg)
{
	for (long i = 0; i < TURNS; i++) {
		moved.second += i;
		AGAIN;
	}
	return arg;
}

int main()
{
	int bad;

	mine(0, &moved.first, sizeof(long));
	mine(1, &moved.second, sizeof(long));
	bad = two(in, nullptr, out, nullptr);
	std::pair<long, long> copy = moved;
	return bad | (copy.first < 0);
}
