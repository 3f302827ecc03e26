// SPDX-License-Identifier: MIT
// The same in C++: a template, a class with private members, a base class, containers.
#include "inc/first.h"
#include "pool.hpp"
#include <cstdio>
#include <pthread.h>
#include <thread>
#include <vector>

alignas(64) static pool::ring<volatile long> ring;
namespace {
alignas(64) volatile long per[2];
}
static pool::job *job;
struct tick {
	volatile long n;
};
class meter {
public:
	explicit meter(int id) : id_(id) {}
	void in() { in_ = in_ + 1; }
	void out() { out_ = out_ + 1; }
	long all() const { return in_ + out_ + id_; }

private:
	int id_;
	volatile long in_{0}, out_{0};
};
alignas(64) static meter gauge(1);
static std::vector<tick> *ticks;

// What is fought for is declared in the base class; neighbours on the heap.
struct shape {
	virtual ~shape() {}
	volatile long drawn = 0;
};
struct square : shape {
};
static square *squares[4];
static pthread_barrier_t both;

static void run(long id)
{
	std::vector<tick> &t = *ticks;
	int first = go_first(id);

	pthread_barrier_wait(&both);
	for (int i = 0; i < 1000000; i++) {
		// Else the threads may have one core between them.
		if (!first && i % 256 == 0)
			std::this_thread::yield();
		if (id) {
			ring.head = ring.head + 1;
			gauge.in();
			job->mine = job->mine + 1;
		} else {
			ring.tail = ring.tail + 1;
			gauge.out();
			job->yours = job->yours + 1;
		}
		per[id] = per[id] + 1;
		for (int k = 0; k < 2; k++)
			squares[2 * k + id]->drawn = squares[2 * k + id]->drawn + 1;
		t[id].n = t[id].n + 1;
	}
}

int main()
{
	job = new pool::job;
	for (square *&s : squares)
		s = new square;
	ticks = new std::vector<tick>(2);
	pthread_barrier_init(&both, nullptr, 2);
	std::thread t([] { run(1); });
	run(0);
	t.join();
	std::printf("%ld %ld %ld\n", ring.head + ring.tail, gauge.all(), per[0] + per[1] + job->mine + squares[3]->drawn);
	for (square *s : squares)
		delete s;
	delete ticks;
	delete job;
}
