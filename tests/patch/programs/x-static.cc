/* SPDX-License-Identifier: MIT */
#include "two.h"

template <int K> struct Histogram {
	alignas(64) inline static volatile int bins[K];
};

static void *run(void *arg)
{
	long me = reinterpret_cast<long>(arg);
	long i;

	for (i = 0; i < TURNS; i++) {
		Histogram<2>::bins[me] = Histogram<2>::bins[me] + 1;
		AGAIN;
	}
	return NULL;
}

int main()
{
	mine(0, const_cast<int *>(&Histogram<2>::bins[0]), sizeof(int));
	mine(1, const_cast<int *>(&Histogram<2>::bins[1]), sizeof(int));
	return two(run, reinterpret_cast<void *>(0), run, reinterpret_cast<void *>(1));
}
