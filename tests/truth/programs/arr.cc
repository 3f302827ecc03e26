/* SPDX-License-Identifier: MIT */
/* counters[t] is used by thread t only; a sum under a lock, rarely; a table that is only read. */
#include <atomic>
#include <mutex>
#include <thread>

#include "known.h"

struct ON_A_LINE Counter {
	std::atomic<long> hits{0};
	long last = 0;
};
static Counter counters[2]; /* = counters */
static const int lookups[16] = {1, 2, 3};
static std::mutex big_lock __attribute__((aligned(64)));
static long guarded __attribute__((aligned(64))); /* = guarded */

static void worker(int me, long n)
{
	for (long i = 0; i < n; i++) {
		counters[me].hits.fetch_add(lookups[i & 15], std::memory_order_relaxed); /* <- hits */
		counters[me].last = i; /* <- last */
		if (i % 100000 == 0) {
			std::lock_guard<std::mutex> hold(big_lock);
			guarded += i; /* <- guarded */
		}
	}
}

int main()
{
	std::thread a(worker, 0, N), b(worker, 1, N);

	a.join();
	b.join();
	for (int t = 0; t < 2; t++) {
		SAY("hits", t, counters[t].hits);
		SAY("last", t, counters[t].last);
		SAY("guarded", t, guarded);
	}
}
