/* SPDX-License-Identifier: MIT */
#include "two.h"
#include <atomic>
#include <vector>

std::vector<std::atomic<int>> hits(4);

static void *run(void *arg)
{
	long me = reinterpret_cast<long>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		hits[me].fetch_add(1, std::memory_order_relaxed);
		AGAIN;
	}
	return NULL;
}

int main()
{
	mine(0, &hits[0], 4);
	mine(1, &hits[1], 4);
	return two(run, nullptr, run, reinterpret_cast<void *>(1L));
}
