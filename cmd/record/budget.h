/* SPDX-License-Identifier: MIT */
/* perseus record --budget: what the probes may cost. */
#ifndef PERSEUS_CMD_RECORD_BUDGET_H
#define PERSEUS_CMD_RECORD_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

/*
 * "3%", "0.5%" or "3": a share of the CPU time, 0.01 to 100 percent, into
 * millionths.  -EINVAL if @text is anything else; the message is a usage error.
 */
int record_budget_parse(const char *text, uint32_t *ppm, struct err *err);

/* -EINVAL if a promise of @ppm (0: none) does not go with the other options. */
int record_budget_check(uint32_t ppm, bool sharing, bool trace, struct err *err);

#endif
