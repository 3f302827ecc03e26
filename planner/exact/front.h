/* SPDX-License-Identifier: MIT */
/*
 * Fronts: of many costs those that no other beats in both of two figures,
 * time and energy, or time and largest draw.  Sorted by time; the other
 * figure falls.
 *
 * A front that has grown too large is thinned.  One that is to be reached
 * loses points; one that is a lower bound has neighbours joined to a point
 * no worse than either, so that it stays a bound.  Both are kept side by
 * side where it matters, and their distance is the error that is stated.
 */
#ifndef PERSEUS_PLANNER_EXACT_FRONT_H
#define PERSEUS_PLANNER_EXACT_FRONT_H

#include "planner/problem/goal.h"

struct front_point {
	struct cost cost;
	uint32_t left, right; /* the caller's: where it comes from */
};

struct front {
	struct front_point *at;
	uint32_t n, cap;
	bool peak; /* the second figure is the largest draw, not the energy */
};

/* An empty front; released by front_release(). */
void front_init(struct front *f, bool peak);
void front_release(struct front *f);

/* The second figure. */
uint64_t front_second(const struct front *f, const struct cost *c);

/* Is some point no worse than @c in both figures? */
bool front_covers(const struct front *f, const struct cost *c);

/* Add a point and take out those it covers; false if it is covered itself. */
bool front_add(struct front *f, const struct front_point *point);

/*
 * All sums of one point of @a and one of @b, the latter @times over, that
 * are on the front of the sums; left and right are the indices in @a and @b.
 * @out is initialised here.
 */
void front_sum(const struct front *a, const struct front *b, uint64_t times, struct front *out);

/* At most about @most points, the ends among them; @bound: join, do not drop. */
void front_thin(struct front *f, uint32_t most, bool bound);

/* Index of the best point for @goal, UINT32_MAX if the front is empty. */
uint32_t front_best(const struct front *f, const struct goal *goal);

/*
 * The least share by which every point of @reached must shrink in both
 * figures to be no worse than @bound says is possible; 0: they are equal.
 */
double front_error(const struct front *reached, const struct front *bound);

/* Index of the point farthest below the line through the ends, UINT32_MAX with fewer than three. */
uint32_t front_knee(const struct front *f);

#endif
