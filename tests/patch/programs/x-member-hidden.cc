// SPDX-License-Identifier: MIT
#include "two.h"

#include <array>

// No word says it, but a class hides its members.
class Pool {
	int size_ = 2;
	std::array<long, 4> done_{};
	long seen_[2] = {};

public:
	void work(unsigned me)
	{
		for (long i = 0; i < TURNS; i++) {
			done_[me]++;
			seen_[me]++;
			AGAIN;
		}
	}
	void say()
	{
		for (int i = 0; i < size_; i++) {
			mine(i, &done_[static_cast<unsigned>(i)], sizeof(long));
			mine(i, &seen_[i], sizeof(long));
		}
	}
};

static Pool pool;

static void *run(void *arg)
{
	pool.work(arg ? 1 : 0);
	return NULL;
}

int main()
{
	pool.say();
	return two(run, nullptr, run, &pool);
}
