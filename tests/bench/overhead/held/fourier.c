/* SPDX-License-Identifier: MIT */
/* fourier N: a recursive fast Fourier transform, N times. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 4096

static double complex data[SIZE], space[SIZE];

static void turn(double complex *x, double complex *tmp, int n)
{
	if (n < 2)
		return;
	for (int i = 0; i < n / 2; i++) {
		tmp[i] = x[2 * i];
		tmp[n / 2 + i] = x[2 * i + 1];
	}
	turn(tmp, x, n / 2);
	turn(tmp + n / 2, x, n / 2);
	for (int i = 0; i < n / 2; i++) {
		double a = -2 * M_PI * i / n, re = cos(a), im = sin(a);
		double ore = creal(tmp[n / 2 + i]), oim = cimag(tmp[n / 2 + i]);
		double complex o = (re * ore - im * oim) + (re * oim + im * ore) * I;

		x[i] = tmp[i] + o;
		x[n / 2 + i] = tmp[i] - o;
	}
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 100;

	for (int i = 0; i < SIZE; i++)
		data[i] = i % 37;
	for (int t = 0; t < times; t++) {
		turn(data, space, SIZE);
		for (int i = 0; i < SIZE; i++)
			data[i] /= 64;
	}
	printf("%g\n", creal(data[5]));
	return 0;
}
