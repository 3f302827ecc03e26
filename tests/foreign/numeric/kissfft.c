/* SPDX-License-Identifier: MIT */
/* A spectrum of a signal that dies out, or does not: kissfft SCALE. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kiss_fft.h"
#include "tests/foreign/numeric/hash.h"

#define N 1024

int main(int argc, char **argv)
{
	static kiss_fft_cpx in[N], out[N], back[N];
	double scale = argc > 1 ? atof(argv[1]) : 1;
	kiss_fft_cfg there = kiss_fft_alloc(N, 0, NULL, NULL), home = kiss_fft_alloc(N, 1, NULL, NULL);

	for (int i = 0; i < N; i++) {
		in[i].r = (float)(scale * (1 + (i * 7919 % 101)) / 128);
		in[i].i = (float)(scale * (1 + (i * 104729 % 89)) / 64);
	}
	kiss_fft(there, in, out);
	kiss_fft(home, out, back);
	printf("%08x %08x %d\n", hash(out, sizeof(out)), hash(back, sizeof(back)),
	       fetestexcept(FE_ALL_EXCEPT));
	return 3;
}
