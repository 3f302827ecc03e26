/* SPDX-License-Identifier: MIT */
/* A crossfeed filter hears a tone, then silence of so many samples, then a tone: libbs2b SAMPLES [NOISE]. */
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>

#include "bs2b.h"
#include "tests/foreign/numeric/hash.h"

#define PART 4096

int main(int argc, char **argv)
{
	static double part[2 * PART];
	int silence = argc > 1 ? atoi(argv[1]) : 0;
	double noise = argc > 2 ? atof(argv[2]) : 0;
	t_bs2bdp filter = bs2b_open();
	unsigned h = 0;

	bs2b_set_srate(filter, 44100);
	for (int done = -PART; done < silence; done += PART) {
		for (int i = 0; i < 2 * PART; i++)
			part[i] = done < 0 ? (double)(i * 7919 % 201 - 100) / 128 : noise * (1 + i % 3);
		bs2b_cross_feed_d(filter, part, PART);
		h = h * 17 + hash(part, sizeof(part));
	}
	bs2b_close(filter);
	printf("%08x %d\n", h, fetestexcept(FE_ALL_EXCEPT));
	return 4;
}
