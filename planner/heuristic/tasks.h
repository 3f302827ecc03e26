/* SPDX-License-Identifier: MIT */
/*
 * Independent pieces of work dealt to threads.  Which thread does which piece
 * is left to chance, so a piece must not depend on another one, and must have
 * its own scratch space; then the results are the same for any number of
 * threads.
 */
#ifndef PERSEUS_PLANNER_HEURISTIC_TASKS_H
#define PERSEUS_PLANNER_HEURISTIC_TASKS_H

#include <stdint.h>

/* At most as many threads are ever used. */
#define TASKS_MAX_THREADS 64

/*
 * Call @run(@ctx, i) for each i below @n, on @threads threads of which the
 * caller is one, and return when all are done.  Threads that the system does
 * not grant are done without.
 */
void tasks_run(uint32_t threads, uint32_t n, void (*run)(void *ctx, uint32_t i), void *ctx);

/* The processors that this process may use, at least 1. */
uint32_t tasks_processors(void);

#endif
