/* SPDX-License-Identifier: MIT */
#include "two.h"

struct flags {
	volatile unsigned a : 16;
	volatile unsigned b : 16;
	volatile unsigned : 0;
	volatile unsigned c : 7;
	volatile unsigned d : 25;
};
static struct flags fl;

static void *set_b(void *arg)
{
	(void)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		fl.b = i & 0xffff;
		AGAIN;
	}
	return NULL;
}

static void *set_d(void *arg)
{
	(void)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		fl.d = fl.d + 1;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	mine(0, &fl, 4);
	mine(1, (char *)&fl + sizeof(fl) - 4, 4);
	return two(set_b, NULL, set_d, NULL);
}
