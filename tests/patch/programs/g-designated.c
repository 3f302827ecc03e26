/* SPDX-License-Identifier: MIT */
#include "two.h"

struct lamp {
	const char *name;
	volatile long on, off;
};

/* The second and the third lie on one line wherever an array of this size begins. */
static struct lamp lamps[] = {
	{.name = "middle"},
	{.name = "left", .off = 1},
	{.name = "right", .on = 2},
};

static void *run(void *arg)
{
	struct lamp *l = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		l->on++;
		l->off++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	mine(0, (void *)&lamps[1].on, 16);
	mine(1, (void *)&lamps[2].on, 16);
	return two(run, &lamps[1], run, &lamps[2]);
}
