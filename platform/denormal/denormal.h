/* SPDX-License-Identifier: MIT */
/* What this machine takes longer for operations on denormal numbers. */
#ifndef PERSEUS_PLATFORM_DENORMAL_DENORMAL_H
#define PERSEUS_PLATFORM_DENORMAL_DENORMAL_H

#include <stdbool.h>

#include "yaml/platform.h"

/*
 * Measure every operation on float and double, and fill p->denormal.  @quick: fewer
 * rounds.  Some tens of milliseconds.  False: not written for this architecture, or denormals
 * are flushed in this process; @p is then as before.
 */
bool platform_measure_denormals(struct platform *p, bool quick);

#endif
