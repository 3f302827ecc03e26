/* SPDX-License-Identifier: MIT */
#ifndef PERSEUS_PLANNER_EMIT_H
#define PERSEUS_PLANNER_EMIT_H

#include "planner/planner.h"

/* How many thread starts and triggers the best design needs, whatever the verdict. */
uint32_t emit_count(struct planner *p);

#endif
