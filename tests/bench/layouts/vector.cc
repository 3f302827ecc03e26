/* SPDX-License-Identifier: MIT */
/* Elements of a vector. */
#include "crew.h"

#include <vector>

struct tally {
	unsigned long seen APART;
	volatile unsigned long odd;
};

static std::vector<tally> tallies(8);

static void setup()
{
}

static void first(unsigned long n)
{
	__atomic_fetch_add(&tallies[1].seen, 1, __ATOMIC_RELAXED);
	tallies[1].odd = tallies[1].odd + (work(n, 2) & 1);
}

static void second(unsigned long n)
{
	__atomic_fetch_add(&tallies[2].seen, 1, __ATOMIC_RELAXED);
	tallies[2].odd = tallies[2].odd + (work(n, 2) & 1);
}

static void show()
{
	printf("%lu %lu %lu %lu\n", tallies[1].seen, tallies[1].odd, tallies[2].seen, tallies[2].odd);
}
