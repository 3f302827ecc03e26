/* SPDX-License-Identifier: MIT */
/*
 * Time that a thread was kept from its core, and whether it may have made up for it.
 * Who has a pace by the clock does at once what it missed, outside of the windows as a
 * rule, and then comes as often as if it had had its core all the time.
 */
#ifndef PERSEUS_ANALYZER_LINES_KEPT_H
#define PERSEUS_ANALYZER_LINES_KEPT_H

#include "analyzer/lines/lines.h"
#include "analyzer/lines/there.h"

/* Fill late, cut and spins of @pace, whose cpu_ns is set, of thread @thread of @p. */
void kept_pace(struct line_pace *pace, const struct run_process *p, uint32_t thread);

/* So many times as much may have been done as follows from what it ran and waited for; >= 1. */
double kept_factor(const struct there *there);

#endif
