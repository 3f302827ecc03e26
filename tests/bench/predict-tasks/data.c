/* SPDX-License-Identifier: MIT */
/* Tasks whose work hangs on their data: how hard a seed is shows at every size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tasks.h"

#define M_2PI (2 * M_PI)

/* A field on the unit square: waves that @seed chooses. */
static double field(uint64_t seed, double x, double y)
{
	double sum = 0;

	for (uint64_t k = 0; k < 5; k++) {
		double fx = 1 + floor(4 * task_random(seed, 4 * k)), fy = 1 + floor(4 * task_random(seed, 4 * k + 1));

		sum += (task_random(seed, 4 * k + 2) - 0.5) *
		       sin(M_2PI * (fx * x + fy * y + task_random(seed, 4 * k + 3)));
	}
	return sum;
}

/* Conjugate gradients for diffusion on n x n through a material that the seed makes. */
static void apply(size_t n, const double *k, const double *x, double *y)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			size_t at = i * n + j;
			double here = k[at], v = 4 * here * x[at];

			v -= here * ((i ? x[at - n] : 0) + (i + 1 < n ? x[at + n] : 0) + (j ? x[at - 1] : 0) +
				     (j + 1 < n ? x[at + 1] : 0));
			y[at] = v / here + 0.002 * k[at] * x[at];
		}
}

static double dot(const double *a, const double *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

void task_solver(size_t n, uint64_t seed, struct task_out *out)
{
	size_t all = n * n, most = 20 * n;
	double *k = malloc(5 * all * sizeof(*k)), *x = k + all, *r = k + 2 * all, *p = k + 3 * all, *q = k + 4 * all;
	double hard = 6 * task_random(seed, 1000), rr, first;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double f = field(seed, ((double)i + 0.5) / (double)n, ((double)j + 0.5) / (double)n);

			k[i * n + j] = exp(hard * f);
			r[i * n + j] = field(seed + 1, ((double)i + 0.5) / (double)n, ((double)j + 0.5) / (double)n);
			x[i * n + j] = 0;
		}
	memcpy(p, r, all * sizeof(*p));
	first = rr = dot(r, r, all);
	while (rr > 1e-12 * first && out->iterations < (double)most) {
		double alpha, next;

		apply(n, k, p, q);
		alpha = rr / dot(p, q, all);
		for (size_t i = 0; i < all; i++) {
			x[i] += alpha * p[i];
			r[i] -= alpha * q[i];
		}
		next = dot(r, r, all);
		for (size_t i = 0; i < all; i++)
			p[i] = r[i] + next / rr * p[i];
		rr = next;
		out->iterations++;
	}
	out->converged = out->iterations < (double)most;
	out->operations = out->iterations * (double)all;
	out->result = x[all / 2];
	free(k);
}

/* Logistic regression of n points by steepest descent, whose step is halved until it helps. */
static double loss(size_t n, const double *z, const double *w, double *g)
{
	double sum = 0;

	memset(g, 0, 4 * sizeof(*g));
	for (size_t i = 0; i < n; i++) {
		const double *at = z + 5 * i;
		double s = w[0] * at[0] + w[1] * at[1] + w[2] * at[2] + w[3], e = exp(-at[4] * s);

		sum += log1p(e);
		for (size_t k = 0; k < 4; k++)
			g[k] -= at[4] * e / (1 + e) * (k < 3 ? at[k] : 1);
	}
	for (size_t k = 0; k < 4; k++)
		g[k] /= (double)n;
	return sum / (double)n;
}

void task_optimiser(size_t n, uint64_t seed, struct task_out *out)
{
	double *z = malloc(5 * n * sizeof(*z)), w[4] = {0}, g[4], trial[4], next[4], f, evaluations = 1;
	double sharp = 1 + 5 * task_random(seed, 1), scale = pow(8, task_random(seed, 2));

	for (size_t i = 0; i < n; i++) {
		double s = 0;

		for (size_t k = 0; k < 3; k++) {
			z[5 * i + k] = 2 * task_random(seed + 7, 4 * i + k) - 1;
			s += (k + 1.0) * z[5 * i + k];
		}
		z[5 * i + 1] *= scale;
		z[5 * i + 4] = task_random(seed + 7, 4 * i + 3) < 1 / (1 + exp(-sharp * s)) ? 1 : -1;
	}
	f = loss(n, z, w, g);
	for (double step = 1; out->iterations < 5000; out->iterations++) {
		double norm = g[0] * g[0] + g[1] * g[1] + g[2] * g[2] + g[3] * g[3], v;

		if (norm < 1e-7)
			break;
		for (step *= 4;; step /= 2) {
			for (size_t k = 0; k < 4; k++)
				trial[k] = w[k] - step * g[k];
			v = loss(n, z, trial, next);
			evaluations++;
			if (v < f - 0.3 * step * norm || step < 1e-9)
				break;
		}
		memcpy(w, trial, sizeof(w));
		memcpy(g, next, sizeof(g));
		f = v;
	}
	out->converged = out->iterations < 5000;
	out->operations = evaluations * (double)n;
	out->result = f;
	free(z);
}

/* Lloyd's iteration of n points until not more than one in 5000 changes its cluster. */
void task_kmeans(size_t n, uint64_t seed, struct task_out *out)
{
	enum { K = 8 };
	double *p = malloc(2 * n * sizeof(*p)), c[K][2];
	unsigned char *mine = calloc(n, 1);
	double spread = 0.05 + 0.2 * task_random(seed, 5);
	size_t moved = n, rounds = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t blob = (uint64_t)(K * task_random(seed + 3, 5 * i));

		for (size_t d = 0; d < 2; d++)
			p[2 * i + d] = task_random(seed, 10 + 2 * blob + d) +
				       spread * (task_random(seed + 3, 5 * i + 1 + 2 * d) +
						 task_random(seed + 3, 5 * i + 2 + 2 * d) - 1);
	}
	for (size_t k = 0; k < K; k++)
		for (size_t d = 0; d < 2; d++)
			c[k][d] = task_random(seed, 100 + 2 * k + d);
	for (; moved > n / 5000 && rounds < 2000; rounds++) {
		double sum[K][3] = {{0}};

		moved = 0;
		for (size_t i = 0; i < n; i++) {
			double best = INFINITY;
			unsigned char at = 0;

			for (unsigned char k = 0; k < K; k++) {
				double dx = p[2 * i] - c[k][0], dy = p[2 * i + 1] - c[k][1], d = dx * dx + dy * dy;

				if (d < best) {
					best = d;
					at = k;
				}
			}
			moved += at != mine[i];
			mine[i] = at;
			sum[at][0] += p[2 * i];
			sum[at][1] += p[2 * i + 1];
			sum[at][2]++;
		}
		for (size_t k = 0; k < K; k++)
			for (size_t d = 0; d < 2 && sum[k][2] > 0; d++)
				c[k][d] = sum[k][d] / sum[k][2];
	}
	out->iterations = (double)rounds;
	out->converged = rounds < 2000;
	out->operations = (double)(n * rounds);
	out->result = c[0][0];
	free(p);
	free(mine);
}

/* Two images of n x n, one of them moved and turned: found by descent, coarse steps first. */
static double sample(const double *image, size_t n, double x, double y)
{
	double fx = fmin(fmax(x, 0), (double)n - 1.001), fy = fmin(fmax(y, 0), (double)n - 1.001);
	size_t i = (size_t)fx, j = (size_t)fy;
	double u = fx - (double)i, v = fy - (double)j;
	const double *at = image + i * n + j;

	return (1 - u) * ((1 - v) * at[0] + v * at[1]) + u * ((1 - v) * at[n] + v * at[n + 1]);
}

static double unlike(const double *a, const double *b, size_t n, const double *m)
{
	double sum = 0, c = cos(m[2]), s = sin(m[2]);

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double x = ((double)i + 0.5) / (double)n - 0.5, y = ((double)j + 0.5) / (double)n - 0.5;
			double d = a[i * n + j] - sample(b, n, (c * x - s * y + 0.5 + m[0]) * (double)n - 0.5,
							 (s * x + c * y + 0.5 + m[1]) * (double)n - 0.5);

			sum += d * d;
		}
	return sum / (double)(n * n);
}

void task_register(size_t n, uint64_t seed, struct task_out *out)
{
	double *a = malloc(n * n * sizeof(*a)), *b = malloc(n * n * sizeof(*b)), m[3] = {0}, f, evaluations = 1;
	double far = 0.3 * task_random(seed, 50), turn = 0.5 * task_random(seed, 51);

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double x = ((double)i + 0.5) / (double)n - 0.5, y = ((double)j + 0.5) / (double)n - 0.5;

			a[i * n + j] = field(seed, x, y);
			b[i * n + j] = field(seed, cos(turn) * x + sin(turn) * y - far * far,
					     cos(turn) * y - sin(turn) * x + far * far);
		}
	f = unlike(a, b, n, m);
	for (double step = 0.08; step > 0.0005; step /= 2)
		for (size_t k = 0; k < 60; k++) {
			double g[3], t[3], norm = 0, v;

			for (size_t d = 0; d < 3; d++) {
				memcpy(t, m, sizeof(t));
				t[d] += step;
				g[d] = unlike(a, b, n, t);
				t[d] -= 2 * step;
				g[d] -= unlike(a, b, n, t);
				norm += g[d] * g[d];
			}
			evaluations += 7;
			for (size_t d = 0; d < 3; d++)
				t[d] = m[d] - step * g[d] / sqrt(norm + 1e-30);
			v = unlike(a, b, n, t);
			if (!(v < f * 0.999))
				break;
			f = v;
			memcpy(m, t, sizeof(m));
			out->iterations++;
		}
	out->operations = evaluations * (double)(n * n);
	out->result = f;
	free(a);
	free(b);
}
