/* SPDX-License-Identifier: MIT */
/*
 * kernels NAME: one loop of every kind, for both threads on memory of its own,
 * so that nothing is shared and the time is that of the loop and its probes.
 */
#include "two.h"

#define N 2048

struct sums {
	long long x, y, xx, yy, xy;
};

struct node {
	struct node *next;
	long value;
};

static struct work {
	double *a, *b, *c;
	unsigned char *bytes;
	int *bins;
	struct node *nodes;
	int *keys;
	struct sums *sums;
} works[2];

static NOIPA double sum(const double *a, int n)
{
	double s = 0;

	for (int i = 0; i < n; i++)
		s += a[i];
	return s;
}

static NOIPA void histogram(int *bins, const unsigned char *p, int n)
{
	for (int i = 0; i < n; i++)
		bins[p[i]]++;
}

/* c += a * b, n x n */
static NOIPA void multiply(double *restrict c, const double *restrict a, const double *restrict b, int n)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			for (int j = 0; j < n; j++)
				c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static NOIPA void multiply_blocked(double *restrict c, const double *restrict a, const double *restrict b, int n)
{
	const int s = 16;

	for (int i0 = 0; i0 < n; i0 += s)
		for (int k0 = 0; k0 < n; k0 += s)
			for (int j0 = 0; j0 < n; j0 += s)
				for (int i = i0; i < i0 + s; i++)
					for (int k = k0; k < k0 + s; k++)
						for (int j = j0; j < j0 + s; j++)
							c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static NOIPA long chase(const struct node *p, int n)
{
	long s = 0;

	for (int i = 0; i < n; i++) {
		s += p->value;
		p = p->next;
	}
	return s;
}

static NOIPA void regression(struct sums *s, const unsigned char *p, int n)
{
	for (int i = 0; i + 1 < n; i += 2) {
		int x = p[i], y = p[i + 1];

		s->x += x;
		s->xx += x * x;
		s->y += y;
		s->yy += y * y;
		s->xy += x * y;
	}
}

static NOIPA void stencil(double *restrict to, const double *restrict from, int n)
{
	for (int i = 1; i < n - 1; i++)
		for (int j = 1; j < n - 1; j++)
			to[i * n + j] = 0.2 * (from[i * n + j] + from[i * n + j - 1] + from[i * n + j + 1] +
					       from[(i - 1) * n + j] + from[(i + 1) * n + j]);
}

static NOIPA void quicksort(int *v, int from, int to)
{
	while (from < to) {
		int pivot = v[(from + to) / 2], i = from, j = to;

		while (i <= j) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i <= j) {
				int t = v[i];

				v[i++] = v[j];
				v[j--] = t;
			}
		}
		quicksort(v, from, j);
		from = i;
	}
}

static NOIPA int scan(const unsigned char *p)
{
	int n = 0;

	while (p[n] > 1)
		n++;
	return n;
}

static const char *which;
static volatile double result;

static void make(struct work *w, int id)
{
	uint32_t r = (uint32_t)id + 1;

	w->a = two_memory(64 * 64 * sizeof(double));
	w->b = two_memory(64 * 64 * sizeof(double));
	w->c = two_memory(64 * 64 * sizeof(double));
	w->bytes = two_memory(8 * N);
	w->bins = two_memory(256 * sizeof(int));
	w->nodes = two_memory(N / 4 * sizeof(struct node));
	w->keys = two_memory(8 * N * sizeof(int));
	w->sums = two_memory(sizeof(struct sums));
	for (int i = 0; i < 64 * 64; i++)
		w->a[i] = w->b[i] = i % 13 * 0.01;
	for (int i = 0; i < 8 * N - 1; i++)
		w->bytes[i] = (unsigned char)(two_random(&r) % 254 + 2);
	for (int i = 0; i < N / 4; i++)
		w->nodes[i] = (struct node){&w->nodes[(i * 37 + 11) % (N / 4)], i};
}

static void work(int id)
{
	struct work *w = &works[id];
	double s = 0;

	make(w, id);
	for (int t = 0; t < 3000; t++) {
		uint32_t r = (uint32_t)t;

		switch (*which) {
		case 'a': /* array-sum */
			for (int k = 0; k < 24; k++)
				s += sum(w->a, N);
			break;
		case 'h': /* histogram */
			for (int k = 0; k < 8; k++)
				histogram(w->bins, w->bytes, 8 * N);
			break;
		case 'm': /* multiply */
			if (t % 4 == 0)
				multiply(w->c, w->a, w->b, 64);
			break;
		case 'b': /* blocked */
			if (t % 4 == 0)
				multiply_blocked(w->c, w->a, w->b, 64);
			break;
		case 'c': /* chase */
			for (int k = 0; k < 4; k++)
				s += (double)chase(w->nodes, 4 * N);
			break;
		case 'r': /* regression */
			regression(w->sums, w->bytes, 8 * N);
			regression(w->sums, w->bytes, 8 * N);
			break;
		case 's': /* stencil */
			for (int k = 0; k < 16; k++)
				stencil(w->c, w->a, 64);
			break;
		case 'q': /* quicksort */
			if (t % 16)
				break;
			for (int i = 0; i < 8 * N; i++)
				w->keys[i] = (int)two_random(&r);
			quicksort(w->keys, 0, 8 * N - 1);
			break;
		default: /* z, byte scan */
			for (int k = 0; k < 4; k++)
				s += scan(w->bytes);
		}
	}
	if (!id)
		result = s;
}

int main(int argc, char **argv)
{
	which = argc > 1 ? argv[1] : "";
	if (!*which || !strchr("ahmbcrsqz", *which))
		return 2;
	two(work);
	return 0;
}
