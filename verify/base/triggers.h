/* SPDX-License-Identifier: MIT */
/* Lines of perseus_triggers.plan (perseus/triggers.h), cut at their blanks. */
#ifndef PERSEUS_VERIFY_BASE_TRIGGERS_H
#define PERSEUS_VERIFY_BASE_TRIGGERS_H

#include "verify/base/plan.h"

/* Is @field, with %XX for what would end it, @text? */
bool triggers_is_text(const char *field, const char *text);

/* Undo the %XX of @field, in place; returns it. */
char *triggers_plain(char *field);

/* Are the @n fields the line of the plan's layout @l? */
bool triggers_is_layout(const struct vplan_layout *l, char *const *field, int n);

#endif
