/* SPDX-License-Identifier: MIT */
/* The models of a plan: one, or several of one program. */
#ifndef PERSEUS_CMD_PLAN_MODELS_H
#define PERSEUS_CMD_PLAN_MODELS_H

#include "planner/problem/inputs.h"

struct plan_models {
	struct model *at;
	uint32_t n;
	struct inputs inputs;      /* with several */
	const struct model *model; /* the one, or what they join to */
};

/*
 * Load @n files.  Fails as model_load() and inputs_join(); @m is to be
 * released in every case, and @names must outlive it.
 */
int plan_models_load(struct plan_models *m, char *const *names, uint32_t n, struct err *err);

void plan_models_release(struct plan_models *m);

#endif
