/* SPDX-License-Identifier: MIT */
#include <thread>
#include <vector>
#include "two.h"

struct Stat {
	long n = 0;
	long sum = 0;
};

int main()
{
	std::vector<Stat> stats(2);
	std::vector<std::thread> threads;

	for (int t = 0; t < 2; t++) {
		mine(t, &stats[t].n, 16);
		threads.emplace_back([&stats, t] {
			for (long i = 0; i < TURNS; i++) {
				stats[t].n++;
				stats[t].sum += i;
				AGAIN;
			}
		});
	}
	for (auto &t : threads)
		t.join();
	two_n *= 1;
	return two([](void *) -> void * { return nullptr; }, nullptr, [](void *) -> void * { return nullptr; }, nullptr);
}
