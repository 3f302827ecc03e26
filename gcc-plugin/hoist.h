/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accesses that a range probe in front of their loop stands for. */
#ifndef PERSEUS_PLUGIN_HOIST_H
#define PERSEUS_PLUGIN_HOIST_H

#include "gcc-plugin/access.h"

/*
 * In the late pass: is each access of this function that @stmt and @a may have
 * been made of covered by a range?  Then its own probe has to be awake in bursts
 * only.
 */
bool hoist_covers(gimple *stmt, const struct mem_access *a);

/* Behind @stmt another thread may have had any line in between. */
bool hoist_barrier(gimple *stmt);

#endif
