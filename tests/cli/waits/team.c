/* SPDX-License-Identifier: MIT */
/* team US: ten regions, and US without one behind each. */
#include <omp.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) static void part(long us)
{
	struct timespec t = {0, us * 1000};

	if (us)
		nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
	long serial = argc > 1 ? atol(argv[1]) : 0;

	for (int i = 0; i < 10; i++) {
#pragma omp parallel num_threads(2)
		part(2000);
		part(serial);
	}
	return 0;
}
