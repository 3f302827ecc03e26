/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often a loop of the final instructions turns, where constants alone say so. */
#ifndef PERSEUS_PLUGIN_ARCH_COUNTED_H
#define PERSEUS_PLUGIN_ARCH_COUNTED_H

/* To be included behind gcc-common.h. */

/*
 * Turns of the natural loop of @header with the blocks @body, from when it is entered
 * until it is left by its only exit; 0: that is not known.
 */
unsigned counted_turns(basic_block header, hash_set<basic_block> *body);

/* A place of the frame that nothing but the frame's own code means: its address does not change in a loop. */
bool counted_in_frame(const_rtx mem);

#endif
