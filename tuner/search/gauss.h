/* SPDX-License-Identifier: MIT */
/* The linear algebra of the model: lower triangles in rows of @room doubles. */
#ifndef PERSEUS_TUNER_SEARCH_GAUSS_H
#define PERSEUS_TUNER_SEARCH_GAUSS_H

#include <stdbool.h>
#include <stddef.h>

/* Matern 5/2 of a squared distance: 1 at 0. */
double gauss_matern(double r2);

/* Factor the first @n rows in place (Cholesky); false: it is not positive definite. */
bool gauss_factor(double *a, size_t n, size_t room);

/* Solve L x = @v, and L' x = @v, in place. */
void gauss_forward(const double *l, size_t n, size_t room, double *v);
void gauss_backward(const double *l, size_t n, size_t room, double *v);

#endif
