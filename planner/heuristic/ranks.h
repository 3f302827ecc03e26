/* SPDX-License-Identifier: MIT */
/*
 * Several processes that make one plan together, as mpirun starts them.  All
 * of them go the same way through the same search and meet where they
 * gather; what they do not share out they all do.  So what one of them
 * learns alone (that it was interrupted) must be agreed on before anybody
 * acts on it, or the others wait for ever.
 */
#ifndef PERSEUS_PLANNER_HEURISTIC_RANKS_H
#define PERSEUS_PLANNER_HEURISTIC_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ranks {
	uint32_t rank, size;
	/* Everybody's @bytes at @mine, in the order of the ranks, to @all of everybody. */
	void (*gather)(void *ctx, const void *mine, void *all, size_t bytes);
	void *ctx;
};

/* Is it so for anybody?  NULL: one process. */
bool ranks_any(const struct ranks *r, bool mine);

/* Make everybody's @data that of rank 0. */
void ranks_share(const struct ranks *r, void *data, size_t bytes);

#endif
