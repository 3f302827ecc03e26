// SPDX-License-Identifier: MIT
// A std::array of structs is a member of a template: the struct gets a line.
#include "two.h"

#include <array>
#include <atomic>

template <int K> struct Slots {
	struct Slot {
		std::atomic<unsigned> v{0};
	};
	std::array<Slot, K> n;

	void hit(long i)
	{
		n[(unsigned long)i].v.fetch_add(1, std::memory_order_relaxed);
	}
};

static Slots<2> board;

static void *run(void *arg)
{
	long me = (long)arg;

	for (long i = 0; i < TURNS; i++)
		board.hit(me);
	return nullptr;
}

int main()
{
	mine(0, &board.n[0], 4);
	mine(1, &board.n[1], 4);
	return two(run, (void *)0, run, (void *)1);
}
