/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accesses that a range probe in front of their loop stands for. */
#ifndef PERSEUS_PLUGIN_HOIST_H
#define PERSEUS_PLUGIN_HOIST_H

#include "gcc-plugin/data/access.h"

/* What stands for an access in front of its loop. */
enum hoisted {
	HOIST_NOT,     /* nothing, or not for all that it may have been made of */
	HOIST_RANGE,   /* ranges: its own probe has to be enabled in bursts only */
	HOIST_BLOCK,   /* a probe: it needs none */
	HOIST_PRIVATE, /* nothing: no other thread can reach it, so it needs none either */
};

/* In the late pass: what stands for each access of this function that @stmt and @a may have been made of? */
enum hoisted hoist_covers(gimple *stmt, const struct mem_access *a);

/* Has this function anything that may be in front of a loop? */
bool hoist_any(void);

#endif
