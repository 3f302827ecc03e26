// SPDX-License-Identifier: MIT
// Exceptions: through many frames, rethrown, in constructors and destructors, nested, kept, out of callbacks.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

static int live, steps;
static char *volatile kept;
struct guard {
	int id;
	explicit guard(int i) : id(i) { live++; }
	guard(const guard &o) : id(o.id) { live++; }
	~guard() { live--; steps = steps * 3 + id; }
};
struct part : guard {
	explicit part(int i) : guard(i)
	{
		if (i == 3)
			throw std::runtime_error("part 3");
	}
};
struct whole {
	part a, b;
	std::vector<part> rest;
	whole(int n)
	try : a(1), b(n)
	{
		for (int i = 0; i < n; i++)
			rest.emplace_back(i);
	} catch (std::exception &e) {
		throw std::logic_error(std::string("whole: ") + e.what());
	}
};
struct thrower {
	int n;
	explicit thrower(int n) : n(n) {}
	~thrower() noexcept(false)
	{
		if (n == 2 && !std::uncaught_exceptions())
			throw n;
	}
};
__attribute__((noinline)) static int deep(int n, int how)
{
	guard g(n);

	if (n == 0) {
		switch (how) {
		case 0: throw 42;
		case 1: throw std::out_of_range("out");
		case 2: throw guard(9);
		case 3: return std::string("x").at(5);
		case 4: throw std::make_unique<int>(5);
		}
	}
	return deep(n - 1, how) + g.id;
}
__attribute__((noinline)) static int again(int n, int how)
{
	try {
		return deep(n, how);
	} catch (int) {
		steps++;
		throw;
	} catch (std::out_of_range &) {
		std::throw_with_nested(std::runtime_error("outer"));
	}
}
static int unnest(const std::exception &e)
{
	try {
		std::rethrow_if_nested(e);
	} catch (const std::exception &inner) {
		return 100 + (int)std::string(inner.what()).size();
	}
	return 0;
}
static int catcher(int how)
{
	try {
		return again(6, how);
	} catch (int i) {
		return i;
	} catch (const std::runtime_error &e) {
		return unnest(e);
	} catch (const guard &g) {
		return g.id;
	} catch (const std::exception &) {
		return 7;
	} catch (...) {
		auto p = std::current_exception();
		try {
			std::rethrow_exception(p);
		} catch (std::unique_ptr<int> &u) {
			return *u;
		}
	}
}
static int by_compare(const void *a, const void *b)
{
	if (*(const int *)a == 13 || *(const int *)b == 13)
		throw 13;
	return *(const int *)a - *(const int *)b;
}
static int through_c()
{
	int v[] = { 5, 3, 13, 1 };

	try {
		std::qsort(v, 4, sizeof(int), by_compare);
	} catch (int i) {
		return i;
	}
	return 0;
}
static int promised() noexcept(true)
{
	return deep(2, 0);
}
static void last_words()
{
	std::printf("terminated %d\n", live > 0);
	std::fflush(stdout);
	std::_Exit(17);
}
int main()
{
	std::set_terminate(last_words);
	for (int how = 0; how < 5; how++)
		std::printf("%d ", catcher(how));
	for (int n : { 2, 3, 4 }) {
		try {
			whole w(n);
			std::printf("[%zu] ", w.rest.size());
		} catch (std::logic_error &e) {
			std::printf("%s ", e.what());
		}
	}
	for (int i = 0; i < 4; i++) {
		try {
			thrower t(i);
			if (i == 3)
				throw i;
		} catch (int n) {
			std::printf("d%d ", n);
		}
	}
	try {
		std::function<int(int)> f = [&](int k) { guard g(k); return k ? f(k - 1) : deep(1, 1); };
		f(4);
	} catch (std::exception &e) {
		std::printf("%s ", e.what());
	}
	try {
		volatile long huge = -1;
		kept = new char[(size_t)huge / 2]; // an unused one may be left out
	} catch (std::bad_alloc &) {
		std::printf("alloc ");
	}
	std::printf("%d %d %d\n", through_c(), live, steps & 0xffff);
	std::fflush(stdout);
	return promised();
}
