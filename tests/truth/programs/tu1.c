/* SPDX-License-Identifier: MIT */
/* A global of this unit and one of the other are neighbours. */
#include "known.h"

volatile long in_count ON_A_LINE = 1; /* = in */

void *in(void *x)
{
	for (long i = 0; i < N; i++)
		in_count++; /* <- in */
	return x;
}
