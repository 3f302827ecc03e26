/* SPDX-License-Identifier: MIT */
#include "two.h"

struct inner { long a, b; };
struct outer { int id; struct inner in; };
static struct outer jobs[4] = {{1, {2, 3}}, {4, {5, 6}}};

static void *run(void *arg)
{
	struct outer *o = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		o->in.a++;
		o->in.b++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	int i;

	for (i = 0; i < 4; i++)
		mine(i % 2, &jobs[i].in, 16);
	return two(run, &jobs[0], run, &jobs[1]) | two(run, &jobs[2], run, &jobs[3]);
}
