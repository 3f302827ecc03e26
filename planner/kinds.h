/* SPDX-License-Identifier: MIT */
/*
 * Kinds of plans, by how much of the program they touch: what a plan of each
 * kind reaches, and so what the step down to a kind that is easier to certify
 * costs.
 *
 * Searches for the kinds below the one asked for come first, and hand their
 * designs up: who may do more is never worse off for it.  They get a
 * small part of the effort (see search.c) and no islands.  A kind whose problem is that of the next one
 * (a program without usable call sites) is not searched twice.
 */
#ifndef PERSEUS_PLANNER_KINDS_H
#define PERSEUS_PLANNER_KINDS_H

#include "planner/planner.h"

/* Before the search of @p, which is prepared: what the kinds below it reach; the best of them is its start. */
void kinds_below(struct planner *p);

/* After it has been judged: its own kind, and those above. */
void kinds_above(struct planner *p);

#endif
