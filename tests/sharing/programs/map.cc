/* SPDX-License-Identifier: MIT */
/* Values in the nodes of a std::unordered_map; two small nodes lie in one line. */
#include "crew.h"

#include <thread>
#include <unordered_map>

#ifdef FIXED
struct alignas(LINE) Visits {
	long n;
};
#else
struct Visits {
	long n;
};
#endif

NOIPA static void visit(Visits &v)
{
	v.n++; /* <- */
}

int main()
{
	std::unordered_map<int, Visits> visits;
	Visits *pair[2] = {};

	/* Two nodes that meet in one line: the allocator puts them side by side. */
	for (int i = 0; i < 64; i++)
		visits[i] = Visits{0};
	for (int i = 0; i < 63; i++) {
		pair[0] = &visits[i];
		pair[1] = &visits[i + 1];
		if ((uintptr_t)pair[0] / LINE == (uintptr_t)pair[1] / LINE)
			break;
	}

	std::thread threads[2];
	for (int id = 0; id < 2; id++)
		threads[id] = std::thread([v = pair[id], id] {
			crew_pin(id);
			FOR_A_WHILE for (int i = 0; i < 1000; i++)
				visit(*v);
		});
	for (auto &t : threads)
		t.join();
	return pair[0]->n == 0;
}
