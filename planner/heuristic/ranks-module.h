/* SPDX-License-Identifier: MIT */
/*
 * What perseus-mpi.so exports as `perseus_ranks`: perseus itself is not
 * linked with a message passing library, it loads this when mpirun started
 * it.
 */
#ifndef PERSEUS_PLANNER_HEURISTIC_RANKS_MODULE_H
#define PERSEUS_PLANNER_HEURISTIC_RANKS_MODULE_H

#include "planner/heuristic/ranks.h"

#define RANKS_MODULE_VERSION 1
#define RANKS_MODULE_SYMBOL  "perseus_ranks"

struct ranks_module {
	uint32_t version;
	int (*begin)(struct ranks *r); /* 0, or -EIO: the library could not be started */
	void (*end)(void);             /* everybody is through */
};

#endif
