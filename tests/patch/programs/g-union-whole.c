/* SPDX-License-Identifier: MIT */
#include "two.h"

union view { struct { volatile long lo, hi; } w; volatile long raw[2]; };
static struct { union view v; int irq; } dev;

static void *low(void *arg)
{
	(void)arg;
	for (long i = 0; i < TURNS; i++)
		dev.v.w.lo++;
	return NULL;
}

static void *high(void *arg)
{
	(void)arg;
	for (long i = 0; i < TURNS; i++)
		dev.v.raw[1]++;
	return NULL;
}

int main(void)
{
	mine(0, &dev.v.w.lo, 8);
	mine(1, &dev.v.raw[1], 8);
	return two(low, NULL, high, NULL);
}
