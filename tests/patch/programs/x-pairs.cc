/* SPDX-License-Identifier: MIT */
#include "two.h"

#include <utility>

struct Parser { volatile long calls, state; };
struct Writer { volatile long calls, state; };

alignas(64) static std::pair<Parser, Writer> stages[2];

static void *parse(void *arg)
{
	for (long i = 0; i < TURNS; i++) {
		stages[1].first.calls = stages[1].first.calls + 1;
		AGAIN;
	}
	return arg;
}

static void *write(void *arg)
{
	for (long i = 0; i < TURNS; i++) {
		stages[1].second.calls = stages[1].second.calls + 1;
		AGAIN;
	}
	return arg;
}

int main()
{
	mine(0, &stages[1].first.calls, sizeof(long));
	mine(1, &stages[1].second.calls, sizeof(long));
	return two(parse, nullptr, write, nullptr);
}
