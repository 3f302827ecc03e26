/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of the passes that count is the first over a function: it depends on the level, and on whether there are loops. */
#ifndef PERSEUS_PLUGIN_COUNTERS_FIRST_H
#define PERSEUS_PLUGIN_COUNTERS_FIRST_H

/* As PLUGIN_ALL_PASSES_START: the passes over another function begin. */
void den_passes_begin(void *, void *);

/* True for the first that asks since then. */
bool den_is_first_pass(void);

#endif
