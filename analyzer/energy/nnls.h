/* SPDX-License-Identifier: MIT */
/* Least squares with weights that are not negative, which GSL lacks. */
#ifndef PERSEUS_ENERGY_NNLS_H
#define PERSEUS_ENERGY_NNLS_H

#include "analyzer/energy/fit.h"

/*
 * The active set method of Lawson and Hanson on sums of products (Bro and de
 * Jong, 1997), over the @n terms at[] and a constant: fills in constant, w and
 * rss of @out.  -EDOM if it does not end, which rounding alone could bring about.
 */
int energy_nnls(const struct energy_normal *normal, const size_t *at, size_t n, struct energy_weights *out,
		struct err *err);

#endif
