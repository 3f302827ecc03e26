/* SPDX-License-Identifier: MIT */
#include "two.h"

#include <utility>

struct Parser { volatile long calls, state; };
struct Writer { volatile long calls, state; };

alignas(32) static std::pair<Parser, Writer> stages;

static void *parse(void *arg)
{
	for (long i = 0; i < TURNS; i++) {
		stages.first.calls = stages.first.calls + 1;
		AGAIN;
	}
	return arg;
}

static void *write(void *arg)
{
	for (long i = 0; i < TURNS; i++) {
		stages.second.calls = stages.second.calls + 1;
		AGAIN;
	}
	return arg;
}

int main()
{
	mine(0, &stages.first.calls, sizeof(long));
	mine(1, &stages.second.calls, sizeof(long));
	return two(parse, nullptr, write, nullptr);
}
