/* SPDX-License-Identifier: MIT */
/* What is longer than a terminal goes through a pager, as git does it. */
#ifndef PERSEUS_CMD_BASE_PAGER_H
#define PERSEUS_CMD_BASE_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Start $PERSEUS_PAGER, $PAGER or less behind stdout, and behind stderr if that is a terminal, too.
 * Nothing happens if stdout is no terminal, or if the pager is named "" or "cat".
 */
void pager_start(void);

/* Hand over what was written, and wait until the user has seen it; nothing without a pager. */
void pager_end(void);

/* True while there is one. */
bool pager_runs(void);

/* Columns of the terminal behind stdout; 0: it is none. */
size_t pager_columns(void);

#endif
