/* SPDX-License-Identifier: MIT */
#include "two.h"

#include <utility>

alignas(32) static std::pair<long, unsigned long> moved(1, 2);
alignas(32) static std::pair<int, int> turns[2] = {{1, 2}, {3, 4}};

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
		moved.second += 1ul;
		AGAIN;
	}
	return arg;
}

static void *left(void *arg)
{
	for (long i = 0; i < TURNS; i++) {
		turns[1].first++;
		AGAIN;
	}
	return arg;
}

static void *right(void *arg)
{
	for (long i = 0; i < TURNS; i++) {
		turns[1].second++;
		AGAIN;
	}
	return arg;
}

int main()
{
	int bad = moved.second != 2 || turns[1].second != 4;

	moved = std::make_pair(3, 4);
	mine(0, &moved.first, sizeof(long));
	mine(1, &moved.second, sizeof(long));
	bad |= two(in, nullptr, out, nullptr);
	two_n = 0;
	mine(0, &turns[1].first, sizeof(int));
	mine(1, &turns[1].second, sizeof(int));
	return two(left, nullptr, right, nullptr) | bad;
}
