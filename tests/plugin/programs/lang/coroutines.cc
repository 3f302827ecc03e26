// SPDX-License-Identifier: MIT
// Coroutines: a generator, tasks that await one another, an exception through them.
// std: c++20
#include <coroutine>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

static int frames;
__attribute__((noinline)) static int work(int x)
{
	if (x == 13)
		throw std::runtime_error("thirteen");
	return x * 3 + 1;
}
template <class T> struct generator {
	struct promise_type {
		T value{};
		std::exception_ptr failed;
		promise_type() { frames++; }
		~promise_type() { frames--; }
		generator get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(T v)
		{
			value = std::move(v);
			return {};
		}
		void return_void() {}
		void unhandled_exception() { failed = std::current_exception(); }
	};
	std::coroutine_handle<promise_type> h;
	~generator() { h.destroy(); }
	bool next()
	{
		h.resume();
		if (h.promise().failed)
			std::rethrow_exception(h.promise().failed);
		return !h.done();
	}
};
struct task {
	struct promise_type {
		int value = 0;
		std::exception_ptr failed;
		std::coroutine_handle<> waiter;
		promise_type() { frames++; }
		~promise_type() { frames--; }
		task get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always initial_suspend() { return {}; }
		struct last {
			bool await_ready() noexcept { return false; }
			std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept
			{
				return h.promise().waiter ? h.promise().waiter : std::noop_coroutine();
			}
			void await_resume() noexcept {}
		};
		last final_suspend() noexcept { return {}; }
		void return_value(int v) { value = v; }
		void unhandled_exception() { failed = std::current_exception(); }
	};
	std::coroutine_handle<promise_type> h;
	~task() { h.destroy(); }
	bool await_ready() { return false; }
	std::coroutine_handle<> await_suspend(std::coroutine_handle<> w)
	{
		h.promise().waiter = w;
		return h;
	}
	int await_resume()
	{
		if (h.promise().failed)
			std::rethrow_exception(h.promise().failed);
		return h.promise().value;
	}
};
static generator<std::string> words(int n)
{
	for (int i = 0; i < n; i++)
		co_yield std::string((size_t)(work(i) % 5), 'a' + i);
}
static generator<int> until_thirteen()
{
	for (int i = 10;; i++)
		co_yield work(i);
}
static task leaf(int x)
{
	co_return work(x);
}
static task tree(int x, int depth)
{
	if (depth == 0)
		co_return co_await leaf(x);
	int a = co_await tree(x + 1, depth - 1);
	int b = co_await tree(x + 2, depth - 1);
	co_return a + b;
}
static task careful(int x)
{
	try {
		co_return co_await tree(x, 3);
	} catch (std::exception &e) {
		co_return -(int)std::string(e.what()).size();
	}
}
int main()
{
	int sum = 0;
	{
		auto w = words(6);
		while (w.next())
			sum = sum * 7 + (int)w.h.promise().value.size();
		auto g = until_thirteen();
		try {
			while (g.next())
				sum += g.h.promise().value;
		} catch (std::runtime_error &e) {
			sum += (int)std::string(e.what()).size();
		}
		task a = careful(0), b = careful(8);
		a.h.resume();
		b.h.resume();
		std::printf("%d %d %d\n", sum, a.h.promise().value, b.h.promise().value);
	}
	std::printf("%d\n", frames);
	return frames;
}
