/* SPDX-License-Identifier: MIT */
/* Elements of a vector of atomics, one for each thread. */
#include <atomic>
#include <thread>
#include <vector>

#include "known.h"

#ifdef TWIN
#define APART 32
#else
#define APART 1
#endif
std::vector<std::atomic<int>> hits(4 * APART); /* = hits */

static void bump(int me, long n)
{
	for (long i = 0; i < n; i++)
		hits[me].fetch_add(1, std::memory_order_relaxed); /* <- hits */
}

int main()
{
	std::vector<std::thread> t;

	for (int i = 0; i < 2; i++)
		t.emplace_back(bump, i * APART, N);
	for (auto &x : t)
		x.join();
	SAY("hits", 0, hits[0]);
	SAY("hits", 1, hits[APART]);
}
