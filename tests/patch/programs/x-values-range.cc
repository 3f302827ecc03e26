/* SPDX-License-Identifier: MIT */
#include "two.h"

#include <vector>

static const long first[] = {1, 2};
static std::vector<long> copied(first, first + 2);

static void *run(void *arg)
{
	long me = reinterpret_cast<long>(arg);

	for (long i = 0; i < TURNS; i++) {
		copied[me] += i;
		AGAIN;
	}
	return nullptr;
}

int main()
{
	mine(0, &copied[0], sizeof(long));
	mine(1, &copied[1], sizeof(long));
	return two(run, nullptr, run, reinterpret_cast<void *>(1));
}
