/* SPDX-License-Identifier: MIT */
/* Memory that processes share: which mappings it is, for the lines that other processes may use, too. */
#ifndef RUNTIME_SHARED_H
#define RUNTIME_SHARED_H

#include "runtime/rt.h"

/* Is the line in such a mapping?  Asked only while rt.n_shared is not 0. */
bool shared_line(uint64_t line);

/* A fork child, which has the mappings of its parent, enters them into its own record. */
void shared_forked(void);

#endif
