/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One test of "is anybody watching" per loop instead of one per access. */
#ifndef PERSEUS_PLUGIN_LOOPS_H
#define PERSEUS_PLUGIN_LOOPS_H

#include "gcc-plugin/gcc-common.h"

/*
 * Make two copies of each loop of @fun that is worth it, behind a test of the
 * descriptor.  The indexes of the blocks of those copies that shall stay free
 * of memory probes are added to @asleep, those of the others to @awake.  True
 * if anything was changed.
 */
bool loops_split(function *fun, bitmap asleep, bitmap awake);

#endif
