/* SPDX-License-Identifier: MIT */
/* A workflow: tasks that wait for one another, and the nodes that they run on. */
#ifndef PERSEUS_SCHEDULER_WORK_WORKFLOW_H
#define PERSEUS_SCHEDULER_WORK_WORKFLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/hash.h"
#include "lib/vec.h"

#define WORK_TASKS 100000 /* at most */
#define WORK_NODES 4096

struct work_task {
	char *name;
	char *command;            /* for sh; NULL: nobody said it */
	double seconds;           /* predicted, on nodes of speed 1 */
	double low, high;         /* its interval; both are @seconds if nobody said one */
	size_t width;             /* nodes that it takes, all at once */
	double release;           /* it cannot start before */
	double deadline;          /* INFINITY: none */
	struct VEC(size_t) after; /* tasks that end before it starts */
	struct VEC(size_t) next;  /* ... that have this one in @after; work_settle() */
};

struct work_node {
	char *name;
	double speed;
	double free; /* it is taken until then */
};

struct workflow {
	struct VEC(struct work_task) tasks;
	struct VEC(struct work_node) nodes;
	size_t *topological;   /* tasks, each behind those that it waits for; work_settle() */
	size_t *by_speed;      /* nodes, the fastest first; work_settle() */
	char hash[SHA256_HEX]; /* of the file */
};

/* Read the workflow @text, called @name in messages.  -EINVAL with the line. */
int work_parse(struct workflow *w, const char *text, size_t len, const char *name, struct err *err);

/*
 * After tasks and nodes were filled in: .next, .topological, .by_speed.  -EINVAL: a cycle, which is named; a task
 * that needs more nodes than there are; a prediction that is not above 0 and finite.
 */
int work_settle(struct workflow *w, struct err *err);

void work_release(struct workflow *w);

/* What @t takes on nodes of which the slowest has @speed. */
static inline double work_seconds(const struct work_task *t, double speed)
{
	return t->seconds / speed;
}

/* The least that a task takes: on as many nodes as it needs, the fastest ones. */
static inline double work_least_seconds(const struct workflow *w, const struct work_task *t)
{
	return work_seconds(t, w->nodes.at[w->by_speed[t->width - 1]].speed);
}

/* Tasks or nodes to be put in order. */
struct work_keyed {
	double key;
	size_t place; /* where it stood: of equal keys the first stays first */
	size_t at;
};

/* For qsort(): the least key first. */
int work_by_key(const void *a, const void *b);

/* As qsort() with work_by_key(), faster where few stand in front of what they belong behind. */
void work_sort_again(struct work_keyed *k, size_t n);

/* Pools: the nodes of one speed. */
size_t work_pools(const struct workflow *w);

/*
 * Of each task the time before which it cannot start (@head), and what passes at least from its end to that of all
 * (@tail): longest paths, each task on the fastest nodes.  Either may be NULL.
 */
void work_heads(const struct workflow *w, double *head, double *tail);

/*
 * No schedule costs less: of any tasks that all have at least one head and one tail, the work over the speeds that
 * they can use between these; the longest path; deadlines that nobody can keep.
 */
double work_bound(const struct workflow *w);

#endif
