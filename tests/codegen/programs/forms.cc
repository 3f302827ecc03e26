// SPDX-License-Identifier: MIT
// The same in C++: members, lambdas, exceptions, objects, threads of the library.
#include <cstdio>
#include <memory>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define NOINLINE __attribute__((noinline))

static int seen;

/* In the trace, if there is one: this function is entered. */
extern "C" __attribute__((weak)) void note_call(const char *name);
#define HERE if (note_call) note_call(__func__)

namespace part {
NOINLINE int b_one(int x) { HERE; __atomic_fetch_add(&seen, x, __ATOMIC_RELAXED); return x; }
NOINLINE int x_one(int x) { HERE; if (x == 4) throw std::runtime_error("four"); return x - 1; }
NOINLINE void x_nothing(int x) { HERE; __atomic_fetch_add(&seen, x, __ATOMIC_RELAXED); }
}

struct guard {
	explicit guard(int n) : n(n) {}
	~guard() { __atomic_fetch_add(&seen, n, __ATOMIC_RELAXED); }
	int n;
};

class machine
{
      public:
	explicit machine(int n) : n(n) {}
	NOINLINE void x_run(int x) { HERE; __atomic_fetch_add(&seen, n + x, __ATOMIC_RELAXED); }
	virtual int b_turn(int x) { HERE; return x + n; }
	virtual ~machine() = default;
	int both(int x)
	{
		x_run(x);
		this->x_run(x + 1);
		return part::x_one(x);
	}
	const std::string &name(int x) const;

      private:
	int n;
	std::string text = "m";
};

const std::string &machine::name(int x) const
{
	part::x_nothing(x);
	return text;
}

static int thrown(int x)
{
	guard g(1);

	try {
		int y = part::x_one(x);
		return y;
	} catch (const std::exception &) {
		part::x_nothing(100);
	}
	try {
		return part::x_one(4);
	} catch (...) {
		throw std::logic_error("again");
	}
}

static void *work(void *arg)
{
	machine m(3);

	for (int i = 0; i < 3; i++) {
		m.x_run(i);
		if (i == 1)
			part::x_nothing(i);
	}
	return arg;
}

int main()
{
	pthread_t raw[3];
	std::vector<std::thread> threads;
	machine m(2), *p = &m;
	auto owned = std::make_unique<machine>(5);
	int sum = 0;

	for (int i = 0; i < 3; i++) {
		int error = pthread_create(&raw[i], nullptr, work, nullptr);
		if (error)
			return 2;
	}
	for (int i = 0; i < 3; i++)
		if (pthread_join(raw[i], nullptr) != 0)
			return 3;
	auto part_of = [&](int x) {
		part::x_nothing(x);
		sum += part::b_one(x);
	};
	for (int i = 0; i < 6; i++) {
		part_of(i);
		try {
			sum += thrown(i) + m.both(i);
		} catch (const std::exception &e) {
			sum += int(std::string(e.what()).size());
		}
		p->x_run(i); // by hand: -> may be a function
		switch (i) {
		case 3: part::x_nothing(i); break;
		default: m.x_run(1);
		}
		sum += i > 2 ? part::b_one(i) : 0;
		while (part::b_one(sum) < 0)
			sum++;
	}
	auto value = part::x_one(2);
	const int held = part::x_one(3);
	for (int i = 0; i < 2; i++)
		threads.emplace_back([i] { part::x_nothing(i); });
	for (auto &t : threads)
		t.join();
	sum += value + held + int(m.name(1).size()) + owned->both(2);
	std::printf("%d\n", sum + seen);
	return 0;
}
