/* SPDX-License-Identifier: MIT */
/*
 * Do equal cores run at an equal pace?  The cores of a virtual machine share
 * their hardware with guests that no counter here shows: one of them may take
 * a third longer for the same work, and nothing but the work itself tells.
 */
#ifndef PERSEUS_PLATFORM_BASE_PACE_H
#define PERSEUS_PLATFORM_BASE_PACE_H

#include <stdint.h>

#include "lib/err.h"

/* Several looks at the cores that the calling thread may use; none if there is only one. */
struct pace {
	uint32_t n;      /* cores */
	uint32_t looks;  /* taken, each 1 */
	uint32_t room;   /* looks there is room for */
	uint32_t *core;  /* the operating system's numbers */
	uint64_t *class; /* cores are compared if the system declares them equal */
	double *ns;      /* CPU time of the same work, of look k and core i at [i * room + k] */
};

/* What the looks say of the two most unequal cores of one class. */
struct pace_spread {
	double ratio; /* time of the slow one over the fast one, medians; 1 if there are not two */
	uint32_t slow, fast;
};

/* Room for @looks; declared speeds are read below @sysroot ("" for this machine).  The caller releases it. */
void pace_init(struct pace *p, uint32_t looks, const char *sysroot);
void pace_release(struct pace *p);

/*
 * The same work on all cores at the same time, about 1 ms; by CPU time, so
 * that other programs here do not count.  Nothing once the room is used up.
 * A core that cannot be used, or a thread that cannot be started, is an error.
 */
int pace_look(struct pace *p, struct err *err);

/* Sorts the times of each core. */
struct pace_spread pace_spread(struct pace *p);

#endif
