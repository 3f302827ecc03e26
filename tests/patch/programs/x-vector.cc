/* SPDX-License-Identifier: MIT */
#include "two.h"
#include <vector>

struct Tally {
	unsigned long seen;
	unsigned long odd;
	unsigned long sum;
	Tally() : seen(0), odd(0), sum(0) {}
};

static std::vector<Tally> tallies(2);

static void *run(void *arg)
{
	Tally &t = *static_cast<Tally *>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		t.seen++;
		t.odd += i & 1;
		t.sum += i;
		AGAIN;
	}
	return NULL;
}

int main()
{
	mine(0, &tallies[0].seen, 24);
	mine(1, &tallies[1].seen, 24);
	return two(run, &tallies[0], run, &tallies[1]);
}
