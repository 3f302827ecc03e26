/* SPDX-License-Identifier: MIT */
/* The terms that models are made of. */
#ifndef PERSEUS_PREDICTOR_MODEL_SPACE_H
#define PERSEUS_PREDICTOR_MODEL_SPACE_H

#include "predictor/model/growth.h"

/* A term and how likely it is before anything was measured, as a logarithm. */
struct space_term {
	struct growth_term term;
	double prior;
};

struct space_terms VEC(struct space_term);

/* Append all terms of @params parameters. */
void space_fill(struct space_terms *out, size_t params, enum growth_space space);

#endif
