// SPDX-License-Identifier: MIT
#include "two.h"
#include <deque>
#include <memory>

// Numbers that a std::unique_ptr or a std::deque holds.
static void *run(void *arg)
{
	long *n = static_cast<long *>(arg);

	for (long i = 0; i < TURNS; i++) {
		++*n;
		AGAIN;
	}
	return NULL;
}

int main()
{
	std::unique_ptr<long[]> first(new long[2]());
	auto second = std::make_unique<long[]>(2);
	std::deque<long> third(2, 0);
	auto sum = [&third, add = 0L](long more) { return add + third[0] + more; };
	int bad;

	mine(0, &first[0], 8);
	mine(1, &first[1], 8);
	bad = two(run, &first[0], run, &first[1]);
	two_n = 0;
	mine(0, &second[0], 8);
	mine(1, &second[1], 8);
	bad |= two(run, &second[0], run, &second[1]);
	two_n = 0;
	mine(0, &third[0], 8);
	mine(1, &third[1], 8);
	return two(run, &third[0], run, &third[1]) | bad | (sum(1) < 0);
}
