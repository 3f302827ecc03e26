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
	size_t *first;       /* of each task in @host; behind the last: all of them */
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

/* Make the order topological: the first task in it that waits for nothing is next. */
void schedule_order(const struct workflow *w, struct schedule *s);

/*
 * Times of order and nodes: a task starts when those that it waits for have ended and the tasks before it have
 * left its nodes.  The order is made topological first.
 */
void schedule_decode(const struct workflow *w, struct schedule *s);

/*
 * The same, but each task, in this order, takes the nodes on which it ends first, where those before it left holes
 * as well.  The order is then that of starts.
 */
void schedule_place(const struct workflow *w, struct schedule *s);

/* All nodes of a task are of one pool; else faster ones may be among them, whose speed is lost. */
#define PLACE_PURE 0x8000u

/*
 * The same; @only[t] is the pool (from 1, the fastest) of the slowest node of task @t, 0: any, and maybe PLACE_PURE.
 * What cannot be is not heeded.  NULL: all are 0.
 */
void schedule_place_in(const struct workflow *w, struct schedule *s, const uint16_t *only);

/* Place all from the end of @s, the last one first, each as late as possible; and then from the begin in that order. */
void schedule_justify(const struct workflow *w, struct schedule *s, const uint16_t *only);

/* Append the reviewable file: YAML. @method, and whether @s is the optimum for certain. */
void schedule_write(const struct workflow *w, const struct schedule *s, const char *method, bool proven,
		    struct strbuf *out);

#endif
