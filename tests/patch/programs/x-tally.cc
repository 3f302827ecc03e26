/* SPDX-License-Identifier: MIT */
#include "two.h"

template <int K> volatile long tally = 0;

template <int K> static void *run(void *arg)
{
	for (long i = 0; i < TURNS; i++) {
		tally<K> = tally<K> + 1;
		AGAIN;
	}
	return arg;
}

int main()
{
	mine(0, &tally<1>, sizeof(long));
	mine(1, &tally<2>, sizeof(long));
	return two(run<1>, nullptr, run<2>, nullptr);
}
