/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks of one block that share one branch. */
#ifndef PERSEUS_PLUGIN_COUNTERS_GROUP_H
#define PERSEUS_PLUGIN_COUNTERS_GROUP_H

#include "gcc-plugin/denormal/count.h"

/* Marks of variables whose address nobody takes have their place from now on, if it can be seen at their statements. */
void den_group_places(vec<den_mark> *marks);

/* Marks from marks[@from] on, in the order of their block, that are done together: the index behind the last. */
unsigned den_group_end(const vec<den_mark> *marks, unsigned from);

/*
 * Behind the last of marks[@from] to marks[@to - 1], a block that is seldom run, in
 * which c->add is called for all of them; c->test is set.  With c->call they are handed to the runtime.
 * They stay.
 */
void den_group_count(struct den_count *c, const vec<den_mark> *marks, unsigned from, unsigned to);

#endif
