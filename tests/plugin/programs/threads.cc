// SPDX-License-Identifier: MIT
// std::thread, atomics of all sizes, a condition variable, thread_local.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

static std::atomic<int> small;
static std::atomic<unsigned char> tiny;
static std::atomic<long> wide;
static std::mutex lock;
static std::condition_variable ready;
static int turn, sum;
static thread_local int mine;

static void work(int id)
{
	for (int i = 0; i < 500; i++) {
		small.fetch_add(1, std::memory_order_relaxed);
		tiny ^= (unsigned char)i;
		long seen = wide.load();
		while (!wide.compare_exchange_weak(seen, seen + id))
			;
		mine += i & 3;
	}
	std::unique_lock<std::mutex> l(lock);
	ready.wait(l, [id] { return turn == id; });
	sum = sum * 10 + id;
	sum += mine == 750 ? 0 : 1000000;
	turn++;
	ready.notify_all();
}

int main()
{
	std::vector<std::thread> all;

	for (int i = 0; i < 4; i++)
		all.emplace_back(work, i);
	for (auto &t : all)
		t.join();
	std::printf("%d %d %ld %d\n", small.load(), tiny.load(), wide.load(), sum);
	return 0;
}
