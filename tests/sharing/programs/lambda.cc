/* SPDX-License-Identifier: MIT */
/* Local variables that lambdas capture by reference. */
#include "crew.h"

#include <thread>

NOIPA static void add(long &sum, int v)
{
	sum += v; /* <- */
}

int main()
{
	struct alignas(LINE) Sums {
		long left = 0;
		APART long right = 0;
	} sums;

	std::thread other([&sums] {
		crew_pin(1);
		FOR_A_WHILE for (int i = 0; i < 1000; i++)
			add(sums.right, i);
	});

	crew_pin(0);
	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		add(sums.left, i);
	other.join();
	return sums.left == 0;
}
