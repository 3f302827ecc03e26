// The forms in which a C++ program starts threads.  forms WHICH
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <thread>
#include <vector>

static volatile long sink;

static __attribute__((noinline)) long burn(long n)
{
	long x = 1;

	for (long i = 0; i < n; i++)
		x = x * 31 + i;
	return x;
}

// Calls nothing: inlined into whatever starts it.
static void computes(long n)
{
	long x = 1;

	for (long i = 0; i < n; i++)
		x = x * 31 + i;
	sink = x;
}

static void calls(int rounds)
{
	for (int i = 0; i < rounds; i++)
		sink = burn(100000);
}

struct Config {
	int rounds;
	Config(int n) : rounds(n) {}
	Config(const Config &c) : rounds(c.rounds) { sink = burn(c.rounds); }
};

static void configured(Config c)
{
	calls(c.rounds);
}

namespace app
{
class Engine
{
      public:
	void turn(int rounds)
	{
		calls(rounds);
	}
	void start()
	{
		turning = std::thread(&Engine::turn, this, 20);
		turning.join();
	}
	std::thread turning;
};
struct Functor {
	long n;
	void operator()() const
	{
		long x = 1;
		for (long i = 0; i < n; i++)
			x = x * 31 + i;
		sink = x;
	}
};
template <class T> struct Worker {
	T first;
	void run()
	{
		calls((int)first);
	}
};
} // namespace app

static void join(std::vector<std::thread> &all)
{
	for (auto &t : all)
		t.join();
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "";
	std::vector<std::thread> all;

	if (!strcmp(which, "function"))
		for (int i = 0; i < 3; i++)
			all.emplace_back(calls, 20);
	if (!strcmp(which, "leaf"))
		for (int i = 0; i < 2; i++)
			all.push_back(std::thread(computes, 20000000L));
	if (!strcmp(which, "config"))
		all.emplace_back(configured, Config(20));
	if (!strcmp(which, "member"))
		app::Engine().start();
	if (!strcmp(which, "functor"))
		all.emplace_back(app::Functor{20000000});
	if (!strcmp(which, "template")) {
		app::Worker<double> w{20};
		all.emplace_back(&app::Worker<double>::run, &w);
		join(all);
		return 0;
	}
	if (!strcmp(which, "lambda"))
		for (int i = 0; i < 2; i++)
			all.emplace_back([] { calls(20); }); // the lambda that calls
	if (!strcmp(which, "quiet-lambda"))
		all.emplace_back([n = 20000000L] { // the lambda that computes
			long x = 1;
			for (long i = 0; i < n; i++)
				x = x * 31 + i;
			sink = x;
		});
	if (!strcmp(which, "kept-lambda")) {
		auto kept = [n = 20000000L](int from) mutable { // the lambda that is kept
			long x = from;
			while (n--)
				x = x * 31 + n;
			sink = x;
		};
		all.emplace_back(kept, 1);
		all.emplace_back(std::ref(kept), 2);
	}
	if (!strcmp(which, "two-lambdas")) {
		all.emplace_back([] { calls(20); }); // the first of two
		all.emplace_back([] { calls(10); }); // the second of two
	}
	if (!strcmp(which, "bind"))
		all.emplace_back(std::bind(calls, 20));
	if (!strcmp(which, "async"))
		std::async(std::launch::async, calls, 20).get();
	if (!strcmp(which, "async-lambda"))
		std::async(std::launch::async, [] { calls(20); }).get(); // the lambda of async
	if (!strcmp(which, "stdfunction")) {
		std::function<void()> f = [] { calls(20); }; // the lambda in a function
		all.emplace_back(f);
	}
#if __cplusplus >= 202002L
	if (!strcmp(which, "jthread"))
		std::jthread t(calls, 20);
	if (!strcmp(which, "jthread-lambda"))
		std::jthread t([](std::stop_token) { calls(20); }); // the lambda of jthread
#endif
	join(all);
	return 0;
}
