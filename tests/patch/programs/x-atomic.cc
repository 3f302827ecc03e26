/* SPDX-License-Identifier: MIT */
#include "two.h"
#include <atomic>

static std::atomic<int> hits[2];
std::atomic<long> up{0}, down{0};

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

static void *run_at(void *arg)
{
	std::atomic<long> *at = static_cast<std::atomic<long> *>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		(*at)++;
		AGAIN;
	}
	return NULL;
}

int main()
{
	int bad;

	mine(0, &hits[0], 4);
	mine(1, &hits[1], 4);
	bad = two(run, nullptr, run, reinterpret_cast<void *>(1L));
	two_n = 0;
	mine(0, &up, 8);
	mine(1, &down, 8);
	return two(run_at, &up, run_at, &down) | bad;
}
