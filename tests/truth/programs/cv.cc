// SPDX-License-Identifier: MIT
// TRUTH: Pool::queue_mutex protects a deque; Pool::stats_mutex is held 10 us per job by every worker: bottleneck.
// Producer (main) is slow to start nothing: it pushes all jobs at once, then joins.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>
#include <cstdint>
static uint64_t spin(uint64_t x, unsigned n) { while (n--) x = x * 6364136223846793005u + 1; return x; }
class Pool {
	std::mutex queue_mutex, stats_mutex;
	std::condition_variable ready;
	std::deque<std::function<uint64_t()>> jobs;
	bool closed = false;
	uint64_t total = 0;
	std::vector<std::thread> threads;
	void loop()
	{
		for (;;) {
			std::function<uint64_t()> job;
			{
				std::unique_lock<std::mutex> l(queue_mutex);
				ready.wait(l, [this] { return closed || !jobs.empty(); });
				if (jobs.empty())
					return;
				job = std::move(jobs.front());
				jobs.pop_front();
			}
			uint64_t r = job();
			std::lock_guard<std::mutex> l(stats_mutex);
			total += spin(r, 8800) & 1;
		}
	}
public:
	explicit Pool(unsigned n) { for (unsigned i = 0; i < n; i++) threads.emplace_back(&Pool::loop, this); }
	void submit(std::function<uint64_t()> f)
	{
		{ std::lock_guard<std::mutex> l(queue_mutex); jobs.push_back(std::move(f)); }
		ready.notify_one();
	}
	uint64_t finish()
	{
		{ std::lock_guard<std::mutex> l(queue_mutex); closed = true; }
		ready.notify_all();
		for (auto &t : threads) t.join();
		return total;
	}
};
int main()
{
	auto p = std::make_unique<Pool>(4);
	for (int i = 0; i < 4000; i++) p->submit([i] { return spin(i, 3000); });
	printf("cv: %d\n", p->finish() > 0);
}
