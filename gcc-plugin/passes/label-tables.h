/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that jump to what they read from a table of their labels, and copies of them. */
#ifndef PERSEUS_PLUGIN_LABEL_TABLES_H
#define PERSEUS_PLUGIN_LABEL_TABLES_H

#include "gcc-plugin/base/gcc-common.h"

/*
 * Do the addresses of labels of @fun, which is cfun and has SSA form, go nowhere but into
 * jumps?  Its tables of them are appended to @tables.  True if there are none, too.
 */
bool label_tables_only_jump(function *fun, vec<tree> *tables);

/* GCC copies no function that has @tables; from now on it does, and @tables are to be copied with it. */
void label_tables_allow(function *fun, const vec<tree> *tables);

/* @twin, a copy of the function that has @tables, jumps by tables of its own labels. */
void label_tables_copy(cgraph_node *twin, const vec<tree> *tables);

#endif
