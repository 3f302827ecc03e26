/* SPDX-License-Identifier: MIT */
#include "two.h"
#include <vector>

static void *run(void *arg)
{
	volatile long *p = static_cast<long *>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		*p = *p + 1;
		AGAIN;
	}
	return NULL;
}

int main()
{
	std::vector<int> names(64); std::vector<long> sums(2);

	names[3] = 1;
	mine(0, &sums[0], sizeof(sums[0]));
	mine(1, &sums[1], sizeof(sums[1]));
	return two(run, &sums[0], run, &sums[1]) + names[4];
}
