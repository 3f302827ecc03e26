/* SPDX-License-Identifier: MIT */
/* Schedules of a workflow: lists, the optimum of small ones, TITAN's genetic algorithm on islands. */
#ifndef PERSEUS_SCHEDULER_SEARCH_SEARCH_H
#define PERSEUS_SCHEDULER_SEARCH_SEARCH_H

#include "scheduler/work/schedule.h"

/* Tasks as they are released, each on the nodes where it ends first. */
void search_fifo(const struct workflow *w, struct schedule *s);

/* HEFT: tasks by the longest path from their beginning to the end, at the mean speed. */
void search_heft(const struct workflow *w, struct schedule *s);

/* Tasks by the time at which they have to start at the latest, on the fastest nodes, for deadlines and the end. */
void search_latest(const struct workflow *w, struct schedule *s);

/* How long to search. */
struct search_limit {
	uint64_t effort;         /* rounds of 64 schedules */
	bool (*stop)(void *arg); /* asked between schedules: true ends the search; NULL: never */
	void *arg;
};

/*
 * Branch and bound from @s, which is a schedule and becomes the best one found; true if it is the optimum, false
 * if @effort nodes of the tree were not enough.
 */
bool search_exact(const struct workflow *w, struct schedule *s, uint64_t effort);

/*
 * The genetic algorithm on islands, each of which makes a fourth of the schedules: the same @seed, the same schedule.
 * It begins with @s, the lists and what crosses them; @s becomes the best one.
 */
void search_genetic(const struct workflow *w, struct schedule *s, uint64_t seed,
		    const struct search_limit *limit);

/* Local search from @s and the lists: the same @seed, the same schedule; @s becomes the best one. */
void search_local(const struct workflow *w, struct schedule *s, uint64_t seed,
		  const struct search_limit *limit);

#endif
