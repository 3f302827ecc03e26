/* SPDX-License-Identifier: MIT */
/* Misses that a thread takes at other lines while it uses one: they take its time, too. */
#ifndef PERSEUS_ANALYZER_LINES_OTHERS_H
#define PERSEUS_ANALYZER_LINES_OTHERS_H

#include "analyzer/lines/lines.h"

/*
 * Fill `others` of all uses: misses of the same thread at other lines from the
 * first to the last that was seen of the use.  An entry's misses are taken for
 * even over its time.
 */
void others_fill(struct line_uses *u, const struct run_process *p);

#endif
