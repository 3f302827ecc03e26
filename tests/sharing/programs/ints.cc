/* SPDX-License-Identifier: MIT */
/* std::vector<int>: the element is a plain int. */
#include "crew.h"

#include <thread>
#include <vector>

#ifdef FIXED
static const size_t stride = LINE / sizeof(int);
#else
static const size_t stride = 1;
#endif

NOIPA static void count(std::vector<int> &hits, size_t mine)
{
	++hits[mine]; /* <- */
}

int main()
{
	std::vector<int> hits(64);
	std::thread threads[2];

	for (size_t id = 0; id < 2; id++)
		threads[id] = std::thread([&hits, id] {
			crew_pin((int)id);
			FOR_A_WHILE for (int i = 0; i < 1000; i++)
				count(hits, id * stride);
		});
	for (auto &t : threads)
		t.join();
	return hits[0] == 0;
}
