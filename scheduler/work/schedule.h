/* SPDX-License-Identifier: MIT */
/*
 * A schedule as TITAN has it: the order in which tasks are handed to a queue, and the nodes of each.  It says
 * nothing of time, so no change of either can make it invalid; times follow from it.
 */
#ifndef PERSEUS_SCHEDULER_WORK_SCHEDULE_H
#define PERSEUS_SCHEDULER_WORK_SCHEDULE_H

#include "lib/strbuf.h"
#include "scheduler/work/workflow.h"

struct schedule {
	size_t tasks, hosts;
	size_t *order;       /* tasks */
	size_t *first;       /* of each task in @host */
	size_t *host;        /* nodes of each task, as many as its width */
	double *start, *end; /* of each task */
	double makespan;     /* end of the last task */
	double late;         /* sum of what tasks end behind their deadlines */
	double cost;         /* of both, which a search makes small */
};

/* Tasks in topological order, each on the fastest nodes. */
void schedule_make(struct schedule *s, const struct workflow *w);
void schedule_release(struct schedule *s);
void schedule_copy(struct schedule *to, const struct schedule *from);

/*
 * Times of order and nodes: a task starts when those that it waits for have ended and the tasks before it have
 * left its nodes.  The order is made topological first: the first task in it that waits for nothing is next.
 */
void schedule_decode(const struct workflow *w, struct schedule *s);

/* The same, but each task takes the nodes on which it ends first. */
void schedule_place(const struct workflow *w, struct schedule *s);

/* Append the reviewable file: YAML. @method, and whether @s is the optimum for certain. */
void schedule_write(const struct workflow *w, const struct schedule *s, const char *method, bool proven,
		    struct strbuf *out);

#endif
