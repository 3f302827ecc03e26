/* SPDX-License-Identifier: MIT */
#include <iterator>
#include <numeric>

#include "two.h"

static long sums[2] = {0, 0};

static void *run(void *arg)
{
	volatile long *sum = static_cast<volatile long *>(arg);

	for (long i = 0; i < TURNS; i++)
		*sum = *sum + 1;
	return NULL;
}

int main()
{
	long all = 0, most = 0;
	int bad;

	for (long &x : sums)
		x = 0;
	mine(0, &sums[0], 8);
	mine(1, &sums[1], 8);
	bad = two(run, &sums[0], run, &sums[1]);
	for (auto x : sums)
		all += [x]() { return x; }();
	for (const long &x : sums) {
		if (x > most)
			most = x;
	}
	printf("%ld %ld\n", all, most);
	if (all != 2 * most || std::accumulate(std::begin(sums), std::end(sums), 0L) != all)
		return 4;
	return bad;
}
