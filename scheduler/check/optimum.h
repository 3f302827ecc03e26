/* SPDX-License-Identifier: MIT */
/* The least cost of a small workflow, by trying all: what the scheduler calls the optimum is held against it. */
#ifndef PERSEUS_SCHEDULER_CHECK_OPTIMUM_H
#define PERSEUS_SCHEDULER_CHECK_OPTIMUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTIMUM_TASKS 12 /* more are not tried */
#define OPTIMUM_NODES 16

struct optimum_task {
	double seconds, release, deadline; /* at speed 1; INFINITY: none */
	size_t width;                      /* nodes at once */
	uint32_t after;                    /* bits of the tasks that end before it starts */
};

struct optimum_work {
	size_t n_tasks, n_nodes;
	struct optimum_task tasks[OPTIMUM_TASKS];
	double speed[OPTIMUM_NODES];
};

/*
 * Is there a schedule that costs (makespan, and what ends behind deadlines) less than @cost by more than a
 * millionth?  Its cost is stored in @least, else @cost.  False: so many were to be tried that nobody knows.
 */
bool optimum_least(const struct optimum_work *w, double cost, double *least);

#endif
