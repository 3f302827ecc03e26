/* SPDX-License-Identifier: MIT */
#include "two.h"

struct part { long n, sum; };

static void *run(void *arg)
{
	struct part *p = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		p->n++;
		p->sum += i;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	struct part parts[2] = {{0, 0}, {0, 0}};

	mine(0, &parts[0].n, 16);
	mine(1, &parts[1].n, 16);
	return two(run, &parts[0], run, &parts[1]);
}
