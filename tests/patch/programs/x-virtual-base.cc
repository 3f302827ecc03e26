/* SPDX-License-Identifier: MIT */
/* A virtual base class is listed with each class that has it: no layout is computed. */
#include "two.h"

struct Root { volatile long v = 0; virtual ~Root() {} };
struct Left : virtual Root { volatile long one = 0; };
struct Right : virtual Root { volatile long two = 0; };
struct Both : Left, Right { volatile long own = 0; };

static Both both;

static void *left(void *arg)
{
	for (long i = 0; i < TURNS; i++)
		both.one = both.one + 1;
	return arg;
}

static void *right(void *arg)
{
	for (long i = 0; i < TURNS; i++)
		both.two = both.two + 1;
	return arg;
}

int main()
{
	mine(0, &both.one, sizeof(long));
	mine(1, &both.two, sizeof(long));
	return two(left, nullptr, right, nullptr);
}
