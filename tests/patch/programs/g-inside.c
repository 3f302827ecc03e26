/* SPDX-License-Identifier: MIT */
#include "two.h"

struct worker { long n; };
struct crew { int id; struct worker w[2]; int more; };
static struct crew crew;

static void *run(void *arg)
{
	long me = (long)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		crew.w[me].n++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	mine(0, &crew.w[0].n, sizeof(long));
	mine(1, &crew.w[1].n, sizeof(long));
	return two(run, (void *)0, run, (void *)1);
}
