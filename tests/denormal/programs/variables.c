/* SPDX-License-Identifier: MIT */
/*
 * Variables whose address nobody takes: a global, a static one, an element that is always the same.  Each is
 * halved 20 times from 1e-36 on, if that is what begin is; 2^-126 lies between the sixth and the seventh time.
 */
#include <stdio.h>
#include <stdlib.h>

float shared;
static float own[8];
static float alone;

__attribute__((noinline, noclone)) static void halve_shared(void)
{
	shared *= 0.5f;
}

__attribute__((noinline, noclone)) static void halve_own(void)
{
	own[3] = own[3] * 0.5f;
}

__attribute__((noinline, noclone)) static void halve_alone(void)
{
	alone = alone * 0.5f;
}

int main(int argc, char **argv)
{
	float begin = argc > 1 ? strtof(argv[1], NULL) : 1e-36f;

	shared = own[3] = alone = begin;
	for (int i = 0; i < 20; i++) {
		halve_shared();
		halve_own();
		halve_alone();
	}
	printf("%a %a %a\n", (double)shared, (double)own[3], (double)alone);
}
