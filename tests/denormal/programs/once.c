/* SPDX-License-Identifier: MIT */
/*
 * once BEGIN: a number that dies out (from 1e-37 on) is used by an inner loop, and stored outside of it, so that two
 * passes of the compiler ask which birth it has.  It prints how often it was denormal, and its last value.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURNS 4000

static float trace[TURNS], out[16], w[16];

int main(int argc, char **argv)
{
	float y = argc > 1 ? strtof(argv[1], NULL) : 1e-37f;
	int denormal = 0;

	for (int k = 0; k < 16; k++)
		w[k] = (float)k;
	for (int n = 0; n < TURNS; n++) {
		y = y * 0.999f;
		trace[n] = y;
		for (int k = 0; k < 16; k++)
			out[k] = y * w[k];
	}
	for (int n = 0; n < TURNS; n++) {
		uint32_t bits;

		memcpy(&bits, &trace[n], 4);
		denormal += (bits << 1) - 1 < 0xffffff;
	}
	printf("%d %a %a\n", denormal, (double)y, (double)out[5]);
}
