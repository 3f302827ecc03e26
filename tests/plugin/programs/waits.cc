// SPDX-License-Identifier: MIT
// C++20 coroutines: their parts carry probes as other functions do.
#include <coroutine>
#include <cstdio>

struct numbers {
	struct promise_type {
		int value;
		numbers get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(int v)
		{
			value = v;
			return {};
		}
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> h;
	~numbers() { h.destroy(); }
};

static numbers count(int n)
{
	for (int i = 0; i < n; i++)
		co_yield i *i;
}

int main()
{
	numbers c = count(6);
	int s = 0;

	for (c.h.resume(); !c.h.done(); c.h.resume())
		s += c.h.promise().value;
	std::printf("%d\n", s);
	return 0;
}
