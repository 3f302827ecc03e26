// SPDX-License-Identifier: MIT
// std::thread, jthread, async, promise, call_once, latch, an exception that crosses threads, thread_local destructors.
// std: c++20
// flags: -pthread
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <future>
#include <latch>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

static std::atomic<int> gone, turns;
struct per_thread {
	int n = 0;
	~per_thread() { gone += n; }
};
static thread_local per_thread mine;
static std::once_flag once;
static int inits;

__attribute__((noinline)) static long work(long n)
{
	long s = 0;

	for (long i = 0; i < n; i++)
		s += i ^ (s >> 3);
	mine.n++;
	return s;
}
static long threads(int n)
{
	std::vector<long> out((size_t)n);
	std::vector<std::thread> all;

	for (int i = 0; i < n; i++)
		all.emplace_back([&out, i] {
			std::call_once(once, [] { inits++; });
			out[(size_t)i] = work(100 * i);
		});
	for (auto &t : all)
		t.join();
	return std::accumulate(out.begin(), out.end(), 0L);
}
static int stops()
{
	std::mutex m;
	std::condition_variable_any ready;
	std::latch started(2);
	auto body = [&](std::stop_token st) {
		std::unique_lock l(m);
		started.count_down();
		ready.wait(l, st, [] { return false; });
		turns += st.stop_requested();
		work(5);
	};
	{
		std::jthread a(body), b(body);
		started.wait();
	}
	return turns;
}
static int futures()
{
	std::promise<int> p;
	auto f = p.get_future();
	std::thread t([&] {
		try {
			work(3);
			throw std::runtime_error("over there");
		} catch (...) {
			p.set_exception(std::current_exception());
		}
	});
	auto a = std::async(std::launch::async, [] { return (int)work(50); });
	auto d = std::async(std::launch::deferred, [] { return (int)work(20); });
	std::packaged_task<int(int)> task([](int x) { return (int)work(x); });
	auto r = task.get_future();
	std::thread(std::move(task), 30).detach();
	int s = a.get() + d.get() + r.get();

	try {
		s += f.get();
	} catch (std::exception &e) {
		s += (int)e.what()[0];
	}
	t.join();
	return s;
}
int main()
{
	long a = threads(6);
	int b = stops(), c = futures();

	std::printf("%ld %d %d %d %d\n", a, b, c, inits, gone >= 10);
	return 0;
}
