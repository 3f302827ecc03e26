/* SPDX-License-Identifier: MIT */
/* Is a schedule file right?  By code that shares nothing with the scheduler but the reader of YAML. */
#ifndef PERSEUS_SCHEDULER_CHECK_CHECK_H
#define PERSEUS_SCHEDULER_CHECK_CHECK_H

#include <stddef.h>

#include "lib/err.h"

/* What a schedule says of being the optimum, and what comes of it. */
enum check_optimum {
	CHECK_NOT_CLAIMED,
	CHECK_SHOWN,     /* all others were tried */
	CHECK_NOT_SHOWN, /* too many to try */
};

/*
 * Read both texts anew: each task once, on as many nodes as it needs and that there are, as long as its prediction
 * says on the slowest of them, behind its release and what it waits for, alone on its nodes; the sums; and a bound
 * that is not above the cost; where it claims to be the optimum, that a better one does not exist, if there are few
 * enough to try.  0; 1: it is wrong, @err says where; -EINVAL: one of the files cannot be read.
 */
int check_schedule(const char *workflow, size_t workflow_len, const char *schedule, size_t schedule_len,
		   enum check_optimum *optimum, struct err *err);

#endif
