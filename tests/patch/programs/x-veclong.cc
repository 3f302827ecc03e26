/* SPDX-License-Identifier: MIT */
#include "two.h"
#include <vector>

static std::vector<long> sums(2, 0);

static void *run(void *arg)
{
	long me = reinterpret_cast<long>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		sums[me] += i;
		AGAIN;
	}
	return NULL;
}

int main()
{
	mine(0, &sums[0], 8);
	mine(1, &sums[1], 8);
	return two(run, nullptr, run, reinterpret_cast<void *>(1L));
}
