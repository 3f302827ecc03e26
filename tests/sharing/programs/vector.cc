/* SPDX-License-Identifier: MIT */
/* Elements of a std::vector, one for each thread. */
#include "crew.h"

#include <thread>
#include <vector>

#ifdef FIXED
struct alignas(LINE) Cell {
	int n = 0;
};
#else
struct Cell {
	int n = 0;
};
#endif

NOIPA static void count(std::vector<Cell> &cells, size_t mine)
{
	cells[mine].n++; /* <- */
}

int main()
{
	std::vector<Cell> cells(4);
	std::vector<std::thread> threads;

	for (size_t id = 0; id < cells.size(); id++)
		threads.emplace_back([&cells, id] {
			crew_pin((int)id);
			FOR_A_WHILE for (int i = 0; i < 1000; i++)
				count(cells, id);
		});
	for (auto &t : threads)
		t.join();
	return cells[0].n == 0;
}
