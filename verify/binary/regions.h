/* SPDX-License-Identifier: MIT */
/*
 * Functions with flush-to-zero: begun before anything else in them, and ended on every way out.
 * Decided on the jumps of the function and its handlers of exceptions; all that computes with
 * floating-point numbers in it must lie between.
 */
#ifndef PERSEUS_VERIFY_BINARY_REGIONS_H
#define PERSEUS_VERIFY_BINARY_REGIONS_H

#include "verify/binary/binary.h"

/* Is there a flush of this number? */
bool regions_planned(const struct vplan *p, uint32_t number);

/* Each flush of the plan; differences are lines in @list, what cannot be decided in @b->notes. */
void regions_check(struct binary *b, const struct vplan *p, struct findings *list);

#endif
