/* SPDX-License-Identifier: MIT */
#ifndef PERSEUS_PLANNER_EMIT_H
#define PERSEUS_PLANNER_EMIT_H

#include "planner/planner.h"

/* The operating system's number of the core that the best design gives a seat. */
uint32_t emit_core(const struct planner *p, uint32_t seat);

/* How many thread starts and triggers the best design needs, whatever the verdict. */
uint32_t emit_count(struct planner *p);

#endif
