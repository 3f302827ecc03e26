// SPDX-License-Identifier: MIT
#include "two.h"
#include <memory>

static void *run(void *arg)
{
	long *n = static_cast<long *>(arg);

	for (long i = 0; i < TURNS; i++) {
		++*n;
		AGAIN;
	}
	return NULL;
}

int main()
{
	std::unique_ptr<long[]> made(new long[2]{1, 2});

	mine(0, &made[0], 8);
	mine(1, &made[1], 8);
	return two(run, &made[0], run, &made[1]);
}
