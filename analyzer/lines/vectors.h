/* SPDX-License-Identifier: MIT */
/* Vector loads: which of the bytes that they take in the thread needs. */
#ifndef PERSEUS_ANALYZER_LINES_VECTORS_H
#define PERSEUS_ANALYZER_LINES_VECTORS_H

#include "analyzer/lines/lines.h"

/*
 * A loop over every second element that the compiler vectorised loads the
 * elements between, too, and stores its own one by one.  Of such loads in the
 * @n uses of one line keep the bytes that the thread stores, if the loop's
 * scalar remainder loads no others; where that is not known, say in `beside`
 * that what it does not store may be unneeded.  Sites are those of @p.
 */
void vectors_narrow(struct line_use *u, size_t n, const struct run_process *p);

#endif
