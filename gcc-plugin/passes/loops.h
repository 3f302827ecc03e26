/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One test of "is anybody watching" per loop instead of a jump per access. */
#ifndef PERSEUS_PLUGIN_LOOPS_H
#define PERSEUS_PLUGIN_LOOPS_H

#include "gcc-plugin/base/gcc-common.h"

/*
 * Make two copies of each loop of @fun that is worth it, behind a test of the
 * descriptor, after all probes are in: its direct memory probes become in-line
 * ones in the copy that is watched, burst ones in the other.  True if anything
 * was changed (TODO_cleanup_cfg).
 */
bool loops_split(function *fun);

#endif
