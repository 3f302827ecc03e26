/* SPDX-License-Identifier: MIT */
#include "tuner/search/gauss.h"

#include <math.h>

double gauss_matern(double r2)
{
	double r = sqrt(5 * r2);

	return (1 + r + r * r / 3) * exp(-r);
}

static double dot(const double *a, const double *b, size_t n)
{
	double sum[4] = {0, 0, 0, 0};
	size_t k = 0;

	for (; k + 4 <= n; k += 4)
		for (int i = 0; i < 4; i++)
			sum[i] += a[k + i] * b[k + i];
	for (; k < n; k++)
		sum[0] += a[k] * b[k];
	return sum[0] + sum[1] + sum[2] + sum[3];
}

bool gauss_factor(double *a, size_t n, size_t room)
{
	for (size_t i = 0; i < n; i++) {
		double *row = a + i * room, d;

		for (size_t j = 0; j < i; j++)
			row[j] = (row[j] - dot(row, a + j * room, j)) / a[j * room + j];
		d = row[i] - dot(row, row, i);
		if (!(d > 0))
			return false;
		row[i] = sqrt(d);
	}
	return true;
}

void gauss_forward(const double *l, size_t n, size_t room, double *v)
{
	for (size_t i = 0; i < n; i++)
		v[i] = (v[i] - dot(l + i * room, v, i)) / l[i * room + i];
}

void gauss_backward(const double *l, size_t n, size_t room, double *v)
{
	for (size_t i = n; i-- > 0;) {
		v[i] /= l[i * room + i];
		for (size_t k = 0; k < i; k++)
			v[k] -= l[i * room + k] * v[i];
	}
}
