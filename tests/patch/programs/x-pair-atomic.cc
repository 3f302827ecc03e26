/* SPDX-License-Identifier: MIT */
#include "two.h"

#include <atomic>
#include <utility>

alignas(32) static std::pair<std::atomic<long>, std::atomic<long>> stages;

static void *parse(void *arg)
{
	for (long i = 0; i < TURNS; i++) {
		stages.first++;
		AGAIN;
	}
	return arg;
}

static void *write(void *arg)
{
	for (long i = 0; i < TURNS; i++) {
		stages.second++;
		AGAIN;
	}
	return arg;
}

int main()
{
	mine(0, &stages.first, sizeof(long));
	mine(1, &stages.second, sizeof(long));
	return two(parse, nullptr, write, nullptr);
}
