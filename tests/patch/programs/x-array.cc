/* SPDX-License-Identifier: MIT */
#include "two.h"
#include <array>

struct Lane { long n; long m; };
static std::array<Lane, 2> lanes;
static std::array<long, 2> plain;

static void *run(void *arg)
{
	Lane *l = static_cast<Lane *>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		l->n++;
		l->m++;
		AGAIN;
	}
	return NULL;
}

static void *run_plain(void *arg)
{
	long *l = static_cast<long *>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		++*l;
		AGAIN;
	}
	return NULL;
}

int main()
{
	int bad;

	mine(0, &lanes[0].n, 16);
	mine(1, &lanes[1].n, 16);
	bad = two(run, &lanes[0], run, &lanes[1]);
	two_n = 0;
	mine(0, &plain[0], 8);
	mine(1, &plain[1], 8);
	return two(run_plain, &plain[0], run_plain, &plain[1]) | bad;
}
