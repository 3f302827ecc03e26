// SPDX-License-Identifier: MIT
// julia SIDE: a call for each point of a picture, some dozens of floating-point steps each.
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) int steps(double x, double y)
{
	int n = 0;

	for (; n < 40 && x * x + y * y < 4; n++) {
		double t = x * x - y * y - .4;

		y = 2 * x * y + .6;
		x = t;
	}
	return n;
}

int main(int argc, char **argv)
{
	int side = argc > 1 ? atoi(argv[1]) : 1200;
	long sum = 0;

	for (int i = 0; i < side; i++)
		for (int k = 0; k < side; k++)
			sum += steps(3. * i / side - 1.5, 3. * k / side - 1.5);
	printf("%ld\n", sum);
}
