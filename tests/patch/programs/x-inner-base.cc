/* SPDX-License-Identifier: MIT */
/* Threads meet inside of one element of an array in a struct; a base class declares one of its members. */
#include "two.h"

class Config {
public:
	volatile long gen = 0;
	long limit = 1;
};

struct Session : Config {
	volatile long hits = 0;
};

struct Sessions {
	Session s[2];
};

alignas(64) static Sessions all;

static void *configure(void *arg)
{
	for (long i = 0; i < TURNS; i++)
		all.s[1].gen = all.s[1].gen + 1;
	return arg;
}

static void *serve(void *arg)
{
	for (long i = 0; i < TURNS; i++)
		all.s[1].hits = all.s[1].hits + 1;
	return arg;
}

int main()
{
	mine(0, &all.s[1].gen, sizeof(long));
	mine(1, &all.s[1].hits, sizeof(long));
	return two(configure, nullptr, serve, nullptr);
}
