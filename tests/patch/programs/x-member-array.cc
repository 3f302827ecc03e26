// SPDX-License-Identifier: MIT
#include "two.h"

#include <array>
#include <atomic>

// Members that only the class itself uses, by name; one is a std::array.
class Tally {
public:
	void add(long me)
	{
		hits_[me].fetch_add(1, std::memory_order_relaxed);
		seen_[static_cast<size_t>(me)].fetch_add(1, std::memory_order_relaxed);
	}
	void say();
	long all() const { return hits_[0] + hits_[1]; }

private:
	int id_ = 0;
	std::atomic<long> hits_[2] = {};
	std::array<std::atomic<int>, 2> seen_{};
};

void Tally::say()
{
	mine(0, &hits_[0], sizeof(long));
	mine(1, &hits_[1], sizeof(long));
	mine(0, &seen_[0], sizeof(int));
	mine(1, &seen_[1], sizeof(int));
	id_ = static_cast<int>(seen_.size());
}

static Tally tally;

static void *run(void *arg)
{
	for (long i = 0; i < TURNS / 4; i++)
		tally.add(reinterpret_cast<long>(arg));
	return NULL;
}

int main()
{
	tally.say();
	int bad = two(run, nullptr, run, reinterpret_cast<void *>(1));
	return tally.all() ? bad : 2;
}
