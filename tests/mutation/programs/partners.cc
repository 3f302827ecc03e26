// SPDX-License-Identifier: MIT
// The same with std::thread.
#include <pthread.h>

#include <cstdio>
#include <numeric>
#include <thread>

static pthread_barrier_t barrier;
static unsigned long sum[4];

static void worker(unsigned me)
{
	for (unsigned round = 0; round < 60; round++) {
		sum[me] += round ^ me;
		pthread_barrier_wait(&barrier);
	}
}

int main()
{
	std::thread threads[4];

	pthread_barrier_init(&barrier, nullptr, 4);
	for (unsigned i = 0; i < 4; i++)
		threads[i] = std::thread(worker, i);
	for (auto &t : threads)
		t.join();
	std::printf("%lu\n", std::accumulate(sum, sum + 4, 0ul));
	return 0;
}
