/* SPDX-License-Identifier: MIT */
/* The lists `layouts` and `choices` of a plan: their tables, and what their values must fulfil. */
#ifndef PERSEUS_YAML_PLAN_LAYOUT_H
#define PERSEUS_YAML_PLAN_LAYOUT_H

#include "yaml/plan.h"
#include "yaml/schema.h"

extern const struct schema plan_layout_schema;
extern const struct schema plan_choice_schema;

/* -EINVAL with line and column if a layout contradicts itself or another one. */
int plan_layouts_check(const struct doc *d, const struct plan *p, struct err *err);

#endif
