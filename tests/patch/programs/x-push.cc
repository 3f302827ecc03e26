/* SPDX-License-Identifier: MIT */
#include <numeric>
#include <vector>

#include "two.h"

static void *run(void *arg)
{
	volatile long *sum = static_cast<volatile long *>(arg);

	for (long i = 0; i < TURNS; i++)
		*sum = *sum + 1;
	return NULL;
}

int main(int argc, char **)
{
	std::vector<long> sums;
	long all = 0;
	int bad;

	sums.reserve(2);
	sums.push_back(argc - 1);
	sums.emplace_back(0);
	mine(0, &sums[0], 8);
	mine(1, &sums[1], 8);
	bad = two(run, &sums[0], run, &sums[1]);
	for (long x : sums)
		all += x;
	if (all != sums.at(0) + sums.back() || sums.front() != *sums.data())
		return 4;
	return std::accumulate(sums.begin(), sums.end(), 0L) == all ? bad : 5;
}
