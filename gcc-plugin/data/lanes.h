/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vector loads of which only some elements are used. */
#ifndef PERSEUS_PLUGIN_LANES_H
#define PERSEUS_PLUGIN_LANES_H

#include "gcc-plugin/data/access.h"

#define LANES_MAX 16 /* accesses that one load may become */

/*
 * Into @out (LANES_MAX entries) the elements that are used of what @stmt loads
 * by @a; their number.  -1: all are, or it is not known.
 */
int lanes_used(gimple *stmt, const struct mem_access *a, struct mem_access *out);

#endif
