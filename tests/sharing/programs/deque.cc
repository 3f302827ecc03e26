/* SPDX-License-Identifier: MIT */
/* Each thread works on a std::deque, std::string and std::map of its own: nothing is shared. */
#include "crew.h"

#include <deque>
#include <map>
#include <string>

static void work(int id)
{
	std::deque<long> queue;
	std::map<int, std::string> names;
	long sum = 0;

	FOR_A_WHILE {
		for (int i = 0; i < 100; i++) {
			queue.push_back(i + id);
			names[i % 16] += "x";
		}
		while (!queue.empty()) {
			sum += queue.front();
			queue.pop_front();
		}
		names.clear();
	}
	if (sum == 1)
		abort();
}

int main()
{
	crew(3, work);
}
