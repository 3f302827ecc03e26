// SPDX-License-Identifier: MIT
#include "two.h"

static long *run_one(long *p)
{
	for (long i = 0; i < TURNS; i++) {
		(*p)++;
		AGAIN;
	}
	return NULL;
}

static void *run(void *arg)
{
	return run_one(static_cast<long *>(arg));
}

int main()
{
	long *count = new long[2]();
	mine(0, &count[0], sizeof(long));
	mine(1, &count[1], sizeof(long));
	int bad = two(run, &count[0], run, &count[1]);
	delete[] count;
	return bad;
}
