/* SPDX-License-Identifier: MIT */
/* Tasks whose work hangs on their size alone. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tasks.h"

static double *numbers(size_t n, uint64_t seed)
{
	double *a = malloc(n * sizeof(*a));

	for (size_t i = 0; i < n; i++)
		a[i] = task_random(seed, i);
	return a;
}

/* n sweeps of five points over n x n. */
void task_stencil(size_t n, uint64_t seed, struct task_out *out)
{
	double *a = numbers(n * n, seed), *b = numbers(n * n, seed);

	for (size_t s = 0; s < n; s++) {
		double *t = a;

		for (size_t i = 1; i + 1 < n; i++)
			for (size_t j = 1; j + 1 < n; j++)
				b[i * n + j] = 0.2 * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] +
						      a[i * n + j - n] + a[i * n + j + n]);
		a = b;
		b = t;
	}
	out->operations = (double)n * (double)(n - 2) * (double)(n - 2);
	out->result = a[n * n / 2];
	free(a);
	free(b);
}

void task_multiply(size_t n, uint64_t seed, struct task_out *out)
{
	double *a = numbers(n * n, seed), *b = numbers(n * n, seed + 1), *c = calloc(n * n, sizeof(*c));

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			for (size_t j = 0; j < n; j++)
				c[i * n + j] += a[i * n + k] * b[k * n + j];
	out->operations = (double)n * (double)n * (double)n;
	out->result = c[n * n / 2];
	free(a);
	free(b);
	free(c);
}

struct complex {
	double re, im;
};

/* Length @n of step @s from @in; @w: roots of all @all. */
static double fft(const struct complex *in, size_t s, struct complex *out, size_t n, const struct complex *w,
		  size_t all)
{
	size_t p = n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : 5, m;
	double operations = (double)n * (double)p;
	struct complex part[5];

	if (n == 1) {
		*out = *in;
		return 1;
	}
	m = n / p;
	for (size_t q = 0; q < p; q++)
		operations += fft(in + q * s, s * p, out + q * m, m, w, all);
	for (size_t k = 0; k < m; k++) {
		for (size_t r = 0; r < p; r++) {
			part[r] = (struct complex){0, 0};
			for (size_t q = 0; q < p; q++) {
				struct complex z = out[q * m + k], u = w[q * (k + r * m) * s % all];

				part[r].re += z.re * u.re - z.im * u.im;
				part[r].im += z.re * u.im + z.im * u.re;
			}
		}
		for (size_t r = 0; r < p; r++)
			out[r * m + k] = part[r];
	}
	return operations;
}

static size_t smooth(size_t n)
{
	for (;; n++) {
		size_t rest = n;

		for (size_t p = 2; p <= 5; p++)
			while (rest % p == 0)
				rest /= p;
		if (rest == 1)
			return n;
	}
}

/* Points: n, or the next number that has no prime factor above 5. */
void task_fft(size_t n, uint64_t seed, struct task_out *out)
{
	size_t all = smooth(n);
	struct complex *in = malloc(all * sizeof(*in)), *to = malloc(all * sizeof(*to)),
		       *w = malloc(all * sizeof(*w));

	for (size_t i = 0; i < all; i++) {
		double phase = -2 * M_PI * (double)i / (double)all;

		in[i] = (struct complex){task_random(seed, i), 0};
		w[i] = (struct complex){cos(phase), sin(phase)};
	}
	out->operations = fft(in, 1, to, all, w, all);
	out->result = to[1].re;
	free(in);
	free(to);
	free(w);
}

static double comparisons;

static void merge_sort(double *a, double *tmp, size_t n)
{
	size_t half = n / 2, i = 0, j = half, k = 0;

	if (n < 2)
		return;
	merge_sort(a, tmp, half);
	merge_sort(a + half, tmp, n - half);
	while (i < half && j < n)
		tmp[k++] = a[i] <= a[j] ? a[i++] : a[j++];
	comparisons += (double)k;
	while (i < half)
		tmp[k++] = a[i++];
	memcpy(a, tmp, k * sizeof(*a));
}

void task_sort(size_t n, uint64_t seed, struct task_out *out)
{
	double *a = numbers(n, seed), *tmp = malloc(n * sizeof(*tmp));

	merge_sort(a, tmp, n);
	out->operations = comparisons;
	out->result = a[n / 2];
	free(a);
	free(tmp);
}

/* n products of a sparse matrix, five points of n x n, with a vector. */
void task_sparse(size_t n, uint64_t seed, struct task_out *out)
{
	size_t rows = n * n, *begin = malloc((rows + 1) * sizeof(*begin)), at = 0;
	unsigned *column = malloc(5 * rows * sizeof(*column));
	double *value = numbers(5 * rows, seed), *x = numbers(rows, seed + 1), *y = malloc(rows * sizeof(*y));

	for (size_t i = 0; i < rows; i++) {
		const size_t near[] = {i, i - 1, i + 1, i - n, i + n};

		begin[i] = at;
		for (size_t k = 0; k < 5; k++)
			if (near[k] < rows)
				column[at++] = (unsigned)near[k];
	}
	begin[rows] = at;
	for (size_t s = 0; s < n; s++) {
		double *t = x;

		for (size_t i = 0; i < rows; i++) {
			double sum = 0;

			for (size_t k = begin[i]; k < begin[i + 1]; k++)
				sum += value[k] * x[column[k]];
			y[i] = 0.4 * sum;
		}
		x = y;
		y = t;
	}
	out->operations = (double)at * (double)n;
	out->result = x[rows / 2];
	free(begin);
	free(column);
	free(value);
	free(x);
	free(y);
}

/* A quadtree of n bodies, and the force on each of them by cells far enough away. */
struct cell {
	double x, y, mass, at_x, at_y, half;
	struct cell *child[4];
};

static struct cell *cells;
static size_t n_cells;

static void insert(struct cell *c, double x, double y, int depth)
{
	for (;;) {
		double old_x = c->x, old_y = c->y;
		int first = c->mass == 1, which;

		c->x = (c->x * c->mass + x) / (c->mass + 1);
		c->y = (c->y * c->mass + y) / (c->mass + 1);
		c->mass++;
		if (c->mass == 1 || depth++ > 40)
			return;
		for (int again = first; again >= 0; again--) {
			double px = again ? old_x : x, py = again ? old_y : y, h = c->half / 2;

			which = (px > c->at_x) + 2 * (py > c->at_y);
			if (!c->child[which]) {
				struct cell *d = c->child[which] = &cells[n_cells++];

				memset(d, 0, sizeof(*d));
				d->at_x = c->at_x + (which & 1 ? h : -h);
				d->at_y = c->at_y + (which & 2 ? h : -h);
				d->half = h;
			}
			if (again) {
				c->child[which]->x = px;
				c->child[which]->y = py;
				c->child[which]->mass = 1;
			}
		}
		c = c->child[which];
	}
}

static double force(const struct cell *c, double x, double y, double *visits)
{
	double dx = c->x - x, dy = c->y - y, r2 = dx * dx + dy * dy + 1e-9, sum = 0;
	int leaf = 1;

	++*visits;
	for (int k = 0; k < 4; k++)
		leaf &= !c->child[k];
	if (leaf || 4 * c->half * c->half < 0.25 * r2)
		return c->mass * dx / (r2 * sqrt(r2));
	for (int k = 0; k < 4; k++)
		if (c->child[k])
			sum += force(c->child[k], x, y, visits);
	return sum;
}

void task_tree(size_t n, uint64_t seed, struct task_out *out)
{
	double *x = numbers(n, seed), *y = numbers(n, seed + 1), sum = 0;

	cells = malloc((8 * n + 64) * sizeof(*cells));
	memset(&cells[0], 0, sizeof(cells[0]));
	cells[0].at_x = cells[0].at_y = cells[0].half = 0.5;
	n_cells = 1;
	for (size_t i = 0; i < n; i++)
		insert(&cells[0], x[i], y[i], 0);
	for (size_t i = 0; i < n; i++)
		sum += force(&cells[0], x[i], y[i], &out->operations);
	out->result = sum;
	free(cells);
	free(x);
	free(y);
}

/* The relaxation of the denormal research: edge 1, inside 0, 1.5 n sweeps in single precision. */
void task_jacobi(size_t n, uint64_t seed, struct task_out *out)
{
	float *a = calloc(n * n, sizeof(*a)), *b = calloc(n * n, sizeof(*b)), least = 1;
	size_t sweeps = 3 * n / 2;

	(void)seed;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < 2; k++) {
			float *g = k ? a : b;

			g[i] = g[(n - 1) * n + i] = g[i * n] = g[i * n + n - 1] = 1;
		}
	for (size_t s = 0; s < sweeps; s++) {
		float *t = a;

		for (size_t i = 1; i + 1 < n; i++)
			for (size_t j = 1; j + 1 < n; j++) {
				float v = (a[i * n + j - n] + a[i * n + j + n] + a[i * n + j - 1] +
					   a[i * n + j + 1]) *
					  0.25f;

				b[i * n + j] = v;
				out->denormals += v > 0 && v < FLT_MIN;
				if (v > 0 && v < least)
					least = v;
			}
		a = b;
		b = t;
	}
	out->operations = (double)sweeps * (double)(n - 2) * (double)(n - 2);
	out->depth = least > 0 ? -log2(least) : 0;
	out->result = a[n * n / 2];
	free(a);
	free(b);
}
