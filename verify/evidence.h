/* SPDX-License-Identifier: MIT */
/* What a plan names as its grounds: findings and phases of its models. */
#ifndef PERSEUS_VERIFY_EVIDENCE_H
#define PERSEUS_VERIFY_EVIDENCE_H

#include "verify/model.h"
#include "verify/plan.h"

/* Each id at a thread or trigger that none of the @n models has is one line in @list. */
void evidence_check(const struct vplan *p, const struct vmodel *m, size_t n, struct findings *list);

#endif
