/* SPDX-License-Identifier: MIT */
/* The search space: products of x^a log2^b x. */
#include "predictor/model/space.h"

#include <math.h>

#define BENT_PRIOR 0.02 /* of a time that is not linear in its count */

/* An exponent is @twelfths / 12. */
static const struct exponent {
	int twelfths;
	double prior;
} exponents[] = {
	{0, 1},    {3, 0.1},  {4, 0.1},  {6, 0.3},  {8, 0.1},  {9, 0.1},  {12, 1},   {15, 0.1},
	{16, 0.1}, {18, 0.3}, {20, 0.1}, {21, 0.1}, {24, 1},   {27, 0.1}, {28, 0.1}, {30, 0.3},
	{32, 0.1}, {33, 0.1}, {36, 1},   {40, 0.1}, {42, 0.1}, {48, 0.3},
};
static const double logs[] = {1, 0.4, 0.1};

double growth_term_value(const struct growth_term *t, size_t params, const double *x)
{
	double value = 1;

	for (size_t j = 0; j < params; j++) {
		if (t->a[j] != 0)
			value *= pow(x[j], t->a[j]);
		for (int k = 0; k < t->b[j]; k++)
			value *= log2(x[j]);
	}
	return value;
}

static bool is_allowed(const struct exponent *e, int b, size_t params, enum growth_space space)
{
	if (space == GROWTH_LINEAR)
		return (e->twelfths == 9 || e->twelfths == 12 || e->twelfths == 15) && !b;
	if (params == 1)
		return true;
	return e->twelfths % 6 == 0 && e->twelfths <= 36 && b <= 1;
}

/* All factors of one parameter, the first of them 1. */
static size_t factors_of(struct space_term *out, size_t params, enum growth_space space)
{
	size_t n = 1;

	out[0] = (struct space_term){.prior = 0};
	for (size_t i = 0; i < sizeof(exponents) / sizeof(exponents[0]); i++)
		for (int b = 0; b < 3; b++) {
			const struct exponent *e = &exponents[i];

			if ((!e->twelfths && !b) || !is_allowed(e, b, params, space))
				continue;
			out[n] = (struct space_term){.prior = log(e->prior * logs[b])};
			if (space == GROWTH_LINEAR && e->twelfths != 12)
				out[n].prior = log(BENT_PRIOR);
			out[n].term.a[0] = e->twelfths / 12.0;
			out[n++].term.b[0] = b;
		}
	return n;
}

void space_fill(struct space_terms *out, size_t params, enum growth_space space)
{
	struct space_term factor[3 * sizeof(exponents) / sizeof(exponents[0])];
	size_t n = factors_of(factor, params, space), all = 1;

	/* Of four parameters all products of whole powers are as many as one can try. */
	for (size_t i = 1, kept = 1; params > 2 && i < n; i++) {
		bool whole = factor[i].term.a[0] == floor(factor[i].term.a[0]);

		if (whole && (params < 4 || !factor[i].term.b[0]))
			factor[kept++] = factor[i];
		if (i + 1 == n)
			n = kept;
	}
	for (size_t j = 0; j < params; j++)
		all *= n;
	for (size_t code = 1; code < all; code++) {
		struct space_term t = {.prior = 0};

		for (size_t j = 0, rest = code; j < params; j++, rest /= n) {
			t.term.a[j] = factor[rest % n].term.a[0];
			t.term.b[j] = factor[rest % n].term.b[0];
			t.prior += factor[rest % n].prior;
		}
		vec_push(out, t);
	}
}
