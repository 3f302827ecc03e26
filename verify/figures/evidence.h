/* SPDX-License-Identifier: MIT */
/*
 * What a plan names as its grounds: findings and phases of its models, and a
 * sentence made of them.  Each finding must be one about that thread and
 * another one that works with it where the placement holds, each phase one of
 * those; and what the sentence says must be so.
 */
#ifndef PERSEUS_VERIFY_FIGURES_EVIDENCE_H
#define PERSEUS_VERIFY_FIGURES_EVIDENCE_H

#include "verify/figures/baselines.h"

/* A placement, or what sets a step: whose it is, and where it holds. */
struct setter {
	const struct ground *g;
	const struct result *r;
	uint32_t thread, by; /* as in struct stay */
	const char *evidence, *reason;
	const char *of; /* "trigger 0042" */
};

/* What is not so is a line in @list. */
void evidence_check(const struct ground *g, const struct result *r, struct findings *list);

/* Does the placement hold in phase @p on the first turn (1), on later ones (2), or both (3)? */
unsigned evidence_holds(const struct setter *x, uint32_t p);

/* Does conflict @c of model @m lie between the thread and one that works with it in phase @p? */
bool evidence_meets(const struct setter *x, const struct vmodel *m, const struct vmodel_conflict *c,
		    uint32_t p);

/* Is @id one of the comma separated @ids? */
bool evidence_has(const char *ids, const char *id);

/* The sentence of a placement, or of a trigger that sets steps (reasons.c). */
void reasons_check_place(const struct setter *x, struct findings *list);
void reasons_check_step(const struct setter *x, struct findings *list);

#endif
