/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements that add to the thread's table. */
#ifndef PERSEUS_PLUGIN_DENORMAL_TABLE_H
#define PERSEUS_PLUGIN_DENORMAL_TABLE_H

#include "gcc-plugin/denormal/mark.h"

/* Append to @seq: the thread's table, to be handed to the next. */
tree den_table(gimple_seq *seq);

/* table[@slot] += @count, an unsigned 64-bit number. */
void den_table_add(gimple_seq *seq, tree table, unsigned slot, tree count);

/* @count denormals of the load or store @mark lie in the array at @address; nothing if that is not known. */
void den_table_array(gimple_seq *seq, const struct den_mark *mark, tree address, tree count);

/* A block that is seldom run, if @value, computed at the end of @bb, is not zero. */
basic_block den_seldom(basic_block bb, tree value);

#endif
