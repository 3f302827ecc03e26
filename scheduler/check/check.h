/* SPDX-License-Identifier: MIT */
/* Is a schedule file right?  By code that shares nothing with the scheduler but the reader of YAML. */
#ifndef PERSEUS_SCHEDULER_CHECK_CHECK_H
#define PERSEUS_SCHEDULER_CHECK_CHECK_H

#include <stddef.h>

#include "lib/err.h"

/*
 * Read both texts anew: each task once, on as many nodes as it needs and that there are, as long as its prediction
 * says on the slowest of them, behind its release and what it waits for, alone on its nodes; the sums; and a bound
 * that is not above the cost.  0; 1: it is wrong, @err says where; -EINVAL: one of the files cannot be read.
 */
int check_schedule(const char *workflow, size_t workflow_len, const char *schedule, size_t schedule_len,
		   struct err *err);

#endif
